"""Chooses the speech-to-text and text-to-speech engines, and says why: by the settings, this machine and the profile.

ears = engines.ears(configuration)
mouth = engines.mouth(configuration, wanted="cedar")
if mouth.part is None: print(mouth.why, mouth.fix)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Literal, TypeVar

from reachy_mind import log
from reachy_mind.config.configuration import Configuration
from reachy_mind.config.plugins import STT, TTS, PluginPoint
from reachy_mind.config.settings import SpeechSettings
from reachy_mind.errors import MindError, NotReady
from reachy_mind.models.store import Store
from reachy_mind.models.voice_names import VOICES, voice_name
from reachy_mind.speech import (
    espeak,
    flite,
    keyword_decision,
    keyword_model,
    moonshine,
    piper,
    wake_word_model,
    whisper,
)
from reachy_mind.speech.transcriber import Transcriber
from reachy_mind.speech.voices import Voice

logger = log.get(__name__)
Part = TypeVar("Part")

MISSING = {"ears": "are no ears", "voice": "is no voice"}


@dataclass(frozen=True)
class SpeechChoice(Generic[Part]):
    """What was chosen and why. Without a `part` there is none, and `fix` says what to do about it."""

    part: Part | None
    why: str
    fix: str = ""


def ears(configuration: Configuration) -> SpeechChoice[Transcriber]:
    """Never raises: what can't be had is a choice without a part."""
    speech = configuration.settings.speech
    store = Store(configuration.models_folder)
    makers: dict[str, Callable[[], Transcriber]] = {
        "moonshine": lambda: moonshine.transcriber(store),
        "whisper": lambda: whisper.transcriber(store),
    }
    sizes: dict[str, Callable[[], Transcriber]] = {
        "moonshine-base": lambda: moonshine.transcriber(store, "base"),
        "moonshine-tiny": lambda: moonshine.transcriber(store, "tiny"),
    }
    knows = {"whisper": whisper.LANGUAGES, **dict.fromkeys(("moonshine", *sizes), moonshine.LANGUAGES)}
    if speech.ears in sizes:
        makers[speech.ears] = sizes[speech.ears]
    elif speech.ears not in (*makers, "auto", "none"):
        makers[speech.ears] = lambda: _plugin(STT, speech.ears, speech)
    chosen = _chosen(speech.ears, "speech.ears", makers, knows, speech.language)
    better = better_ears(configuration)
    return replace(chosen, why=f"{chosen.why}; {better}") if chosen.part is not None and better else chosen


def better_ears(configuration: Configuration) -> str:
    """What to pull so that it hears better, and how; empty where nothing would."""
    speech = configuration.settings.speech
    if speech.ears not in ("auto", "moonshine") or speech.language not in moonshine.LANGUAGES:
        return ""
    return moonshine.advice(Store(configuration.models_folder))


def mouth(configuration: Configuration, wanted: str = "", speed: float | None = None) -> SpeechChoice[Voice]:
    """`wanted` is the name in a profile's voice.txt: one of the engine's own, or one of OpenAI's; what the engine does
    not know is its first voice, and one line in the log. `speed`: another than that of the settings."""
    speech = configuration.settings.speech
    speed = speech.speed if speed is None else speed
    store = Store(configuration.models_folder)
    makers: dict[str, Callable[[], Voice]] = {
        "piper": lambda: _named("piper", wanted, lambda _: piper.voice(store, speed)),
        "flite": lambda: _flite(wanted, speed),
        "espeak": lambda: _espeak(wanted, speed, speech.language),
    }
    knows = {"piper": piper.LANGUAGES, "flite": flite.LANGUAGES, "espeak": espeak.LANGUAGES}
    if speech.voice not in (*makers, "auto", "none"):
        paced = speech.model_copy(update={"speed": speed})
        makers[speech.voice] = lambda: _plugin(TTS, speech.voice, paced)
    return _chosen(speech.voice, "speech.voice", makers, knows, speech.language)


def wake_word(configuration: Configuration) -> wake_word_model.WakeWordDetector | None:
    """What listens for a pulled word to be called by; None when there is none. Raises NotReady, InvalidParameter."""
    speech = configuration.settings.speech
    if speech.wake != "word" or speech.wake_word == keyword_decision.WAKE_WORD:
        return None
    return wake_word_model.detector(Store(configuration.models_folder), speech.wake_word)


def keywords(configuration: Configuration) -> keyword_model.KeywordDetector | None:
    """What recognises stop words, and "hey Reachy"; None when neither is listened for, or stop words can't be. Raises
    NotReady, MissingExtra when it is to be called by that and can't be."""
    speech = configuration.settings.speech
    if speech.wake == "word" and speech.wake_word == keyword_decision.WAKE_WORD:
        return keyword_model.KeywordDetector()
    if not speech.stop_words or speech.language not in moonshine.LANGUAGES:
        return None
    try:
        return keyword_model.KeywordDetector()
    except MindError as error:
        logger.warning("stop words are recognised only when they are transcribed", reason=error.message)
        return None


def required(chosen: SpeechChoice[Part], what: Literal["ears", "voice"]) -> Part:
    """The part that was chosen. Raises NotReady with the reason why there is none."""
    if chosen.part is None:
        raise NotReady(f"there {MISSING[what]}: {chosen.why}", hint=chosen.fix)
    return chosen.part


def _chosen(
    setting: str,
    key: str,
    makers: Mapping[str, Callable[[], Part]],
    knows: Mapping[str, Sequence[str]],
    language: str,
) -> SpeechChoice[Part]:
    if setting == "none":
        return SpeechChoice(None, f"switched off ({key}: none)", fix=f"set {key} to auto")
    passed: list[str] = []
    fix = ""
    for name in makers if setting == "auto" else [setting]:
        if name in knows and language not in knows[name]:
            passed.append(f"{name} does not know the language {language}")
            fix = fix or "choose another speech.language"
            continue
        try:
            part = makers[name]()
        except MindError as error:
            passed.append(error.message)
            fix = error.hint
        else:
            why = f"{key}: {setting}" if setting != "auto" else "; ".join(passed) or f"first choice for {language}"
            return SpeechChoice(part, why)
    return SpeechChoice(None, "; ".join(passed), fix)


def _plugin(point: PluginPoint, name: str, speech: SpeechSettings) -> Any:
    """The part of an installed package. Raises NotReady, also when it does not know the language."""
    part: Transcriber | Voice = point.load(name, speech)
    if speech.language not in part.languages:
        raise NotReady(f"{name} does not know the language {speech.language}", hint="choose another speech.language")
    return part


def _flite(wanted: str, speed: float) -> Voice:
    if not flite.available():
        raise NotReady("flite is not installed", hint=flite.HINT)
    return _named("flite", wanted, lambda name: flite.voice(name, speed))


def _espeak(wanted: str, speed: float, language: str) -> Voice:
    if not espeak.available():
        raise NotReady("espeak-ng is not installed", hint=espeak.HINT)
    return _named("espeak", wanted, lambda name: espeak.voice(name, speed, language))


def _named(engine: str, wanted: str, make: Callable[[str], Voice]) -> Voice:
    made_for = voice_name(engine, wanted)
    voice = make(made_for or VOICES[engine][0])
    if wanted.strip() and not made_for:
        logger.info("voice is unknown to the engine in use", wanted=wanted.strip(), spoken_with=voice.name)
    return voice
