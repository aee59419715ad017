"""`speech_options`: how a spoken conversation listens and speaks, by the settings.

Import it in a thread, as `spoken`: pipecat is heavy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reachy_mind.speech import pipecat_services
from reachy_mind.speech.phrases import acknowledgements, listening, not_understood
from reachy_mind.speech.pipeline import SpeechOptions

if TYPE_CHECKING:
    from reachy_mind.conversation.voice import VoiceParts
    from reachy_mind.speech.keyword_model import KeywordDetector
    from reachy_mind.speech.remote_listener import RemoteListener
    from reachy_mind.speech.wake_word import WakeWordListener


def speech_options(
    parts: VoiceParts,
    *,
    called: bool,
    wake_word: WakeWordListener | None,
    keywords: KeywordDetector | None,
    remote: RemoteListener | None,
) -> SpeechOptions:
    """`called`: whether people say a wake word first. Raises InvalidParameter, NotReady for a service that is named."""
    settings = parts.configuration.settings.speech
    return SpeechOptions(
        language=settings.language,
        gain_control=settings.gain_control,
        stt_service=pipecat_services.chosen(settings.ears_service, "stt", settings.ears_options),
        tts_service=pipecat_services.chosen(settings.voice_service, "tts", settings.voice_options),
        wake_word=wake_word,
        keywords=keywords,
        keyword_threshold=settings.stop_threshold,
        remote_listener=remote,
        frequent_phrases=_frequent_phrases(parts, settings.language, called=called),
    )


def _frequent_phrases(parts: VoiceParts, language: str, *, called: bool) -> tuple[str, ...]:
    before = (listening(language),) if called else ()
    replies = parts.brain.frequent_replies(language, parts.turns.profile)
    return (*before, *acknowledgements(language), not_understood(language), *replies)
