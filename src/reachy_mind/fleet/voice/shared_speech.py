"""`SharedSpeech`: what the conversations of a worker share: ears, voices, the brain. None of it keeps what was said.

Ears and voices are models in processes of their own, or programs that run for one sentence. A voice keeps the sound of
short sentences that it has spoken, by their text.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Self

from reachy_mind.brains.active import ActiveBrain
from reachy_mind.errors import MindError
from reachy_mind.events import Bus
from reachy_mind.fleet.voice.session import VoiceRefused

if TYPE_CHECKING:
    from reachy_mind.config.configuration import Configuration
    from reachy_mind.conversation.spoken import SpokenConversation
    from reachy_mind.profiles.profile import Profile
    from reachy_mind.speech.transcriber import Transcriber
    from reachy_mind.speech.voice_cache import CachedVoice

MAX_VOICES: Final = 4
"""Kept for later sessions, beside those in use."""
SLOWEST, FASTEST = 0.5, 2.0


class SharedBrain(ActiveBrain):
    """One brain for many conversations. Their voices make no sound ahead: one that is fast needs none, and the others
    would be kept busy by it."""

    def frequent_replies(self, language: str, profile: Profile) -> Sequence[str]:  # noqa: ARG002
        return ()


class SharedSpeech:
    """Use as `async with`, and `load` before the first conversation."""

    def __init__(self, configuration: Configuration) -> None:
        self.configuration = configuration
        self.brain = SharedBrain(configuration, Bus())
        self.spoken: type[SpokenConversation] | None = None
        self._ears: dict[str, Transcriber] = {}
        self._voices: OrderedDict[tuple[str, str, float, str], CachedVoice] = OrderedDict()
        self._users: dict[tuple[str, str, float, str], int] = {}
        self._prepared = asyncio.Lock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for ears in self._ears.values():
            await ears.aclose()
        for voice in self._voices.values():
            await voice.aclose()
        await self.brain.aclose()

    async def load(self) -> type[SpokenConversation]:
        """Import and load what every conversation needs: a second or two, once. Raises MindError."""
        async with self._prepared:
            if self.spoken is None:
                from reachy_mind.conversation.voice import load_spoken  # noqa: PLC0415

                spoken = await asyncio.to_thread(load_spoken)
                await asyncio.to_thread(self.brain.brain)
                self.spoken = spoken
        return self.spoken

    def speaking(self, language: str) -> Configuration:
        """The configuration of a conversation in a language."""
        settings = self.configuration.settings
        speech = settings.speech.model_copy(update={"language": language, "wake": "always"})
        return replace(self.configuration, settings=settings.model_copy(update={"speech": speech}))

    async def ears(self, configuration: Configuration) -> Transcriber:
        """Speech to text for the configuration's language, loaded. Raises VoiceRefused when there is none."""
        from reachy_mind.speech import engines  # noqa: PLC0415

        language = configuration.settings.speech.language
        if language not in self._ears:
            with _refused_without():
                self._ears[language] = engines.required(engines.ears(configuration), "ears")
        with _refused_without():
            await self._ears[language].warm()
        return self._ears[language]

    @contextlib.asynccontextmanager
    async def voice(self, configuration: Configuration, profile: Profile) -> AsyncIterator[CachedVoice]:
        """The voice of a profile, loaded. Raises VoiceRefused when there is none."""
        from reachy_mind.speech import engines  # noqa: PLC0415
        from reachy_mind.speech.moods import MOODS, NEUTRAL  # noqa: PLC0415
        from reachy_mind.speech.voice_cache import CachedVoice  # noqa: PLC0415

        speech = configuration.settings.speech
        speed = min(max(speech.speed * (profile.speed or 1.0), SLOWEST), FASTEST)
        mood = profile.mood if speech.moods else ""
        key = (speech.language, profile.voice, speed, mood)
        if key not in self._voices:
            with _refused_without():
                made = engines.required(engines.mouth(configuration, profile.voice, speed), "voice")
            self._voices[key] = CachedVoice(made, MOODS.get(mood, NEUTRAL))
        self._voices.move_to_end(key)
        self._users[key] = self._users.get(key, 0) + 1
        try:
            with _refused_without():
                await self._voices[key].warm()
            yield self._voices[key]
        finally:
            self._users[key] -= 1
            await self._close_unused()

    async def _close_unused(self) -> None:
        idle = [key for key in self._voices if not self._users.get(key)]
        for key in idle[: max(0, len(idle) - MAX_VOICES)]:
            self._users.pop(key, None)
            await self._voices.pop(key).aclose()


@contextlib.contextmanager
def _refused_without() -> Iterator[None]:
    try:
        yield
    except VoiceRefused:
        raise
    except MindError as error:
        raise VoiceRefused(error.message, hint=error.hint) from error
