"""`SessionVoice`: the voice of one Realtime session: the mind's usual one, or another that the client chose."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from reachy_mind.conversation.voice import VoiceService
from reachy_mind.models.voice_names import is_voice
from reachy_mind.speech import engines
from reachy_mind.speech.voice_cache import CachedVoice
from reachy_mind.speech.voices import Voice


class SessionVoice:
    """Raises NotReady when there is no voice."""

    def __init__(self, speech: VoiceService) -> None:
        self._speech, self._usual = speech, speech.mouth()
        self.cached = CachedVoice(_Borrowed(self._usual))
        self._chosen = ("", 1.0)

    async def use(self, name: str, speed: float) -> None:
        """Speak with this voice from now on. Raises NotReady."""
        if (name, speed) == self._chosen:
            return
        self._chosen = name, speed
        configuration = self._speech.parts.configuration
        if speed == 1.0 and (not name or is_voice(self._usual.name, name)):
            await self.cached.switch(_Borrowed(self._usual))
            return
        pace = None if speed == 1.0 else configuration.settings.speech.speed * speed
        await self.cached.switch(engines.required(engines.mouth(configuration, name, pace), "voice"))

    async def aclose(self) -> None:
        await self.cached.aclose()


class _Borrowed:
    """The usual voice, which is not closed with a session."""

    def __init__(self, voice: Voice) -> None:
        self._voice = voice
        self.name, self.languages = voice.name, voice.languages

    async def synthesize(self, text: str) -> AsyncGenerator[bytes, None]:
        async for pcm in self._voice.synthesize(text):
            yield pcm

    async def warm(self) -> None:
        await self._voice.warm()

    async def aclose(self) -> None:
        """It belongs to the mind."""
