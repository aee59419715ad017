"""`VoiceSamples`: short texts in any voice of this machine, to choose one by ear."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Self

from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import InvalidParameter
from reachy_mind.models.voice_names import VOICES
from reachy_mind.speech.moods import MOODS

if TYPE_CHECKING:
    from reachy_mind.config.configuration import Configuration
    from reachy_mind.speech.voices import Voice

KEPT = 64
"""Samples; a person who compares plays them again."""
IDLE_S = 60.0
"""After that the engine that was tried is closed: it holds some hundred megabytes."""


class VoiceSamples:
    """One engine is loaded at a time, and samples are made one after the other. Use as `async with`."""

    def __init__(self, configuration: Callable[[], Configuration]) -> None:
        self._configuration = configuration
        self._lock = asyncio.Lock()
        self._made: OrderedDict[tuple[str, str, str, str], bytes] = OrderedDict()
        self._voice: Voice | None = None
        self._of = ("", "")
        self._closing: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._closing is not None:
            await cancel_and_wait(self._closing)
        await self._close()

    async def sample(self, engine: str, name: str, text: str, mood: str = "") -> bytes:
        """16 kHz PCM. Raises InvalidParameter for a voice or a mood that does not exist, NotReady for one that is not
        on this machine."""
        if name not in VOICES.get(engine, ()):
            raise InvalidParameter(f"there is no voice {name!r} of {engine!r}", hint="reachy-mind voices list")
        if mood and mood not in MOODS:
            raise InvalidParameter(f"there is no mood {mood!r}", hint=f"one of: {', '.join(MOODS)}")
        wanted = (engine, name, text, mood)
        async with self._lock:
            if wanted not in self._made:
                self._made[wanted] = await self._synthesized(engine, name, text, mood)
                if len(self._made) > KEPT:
                    self._made.popitem(last=False)
            return self._made[wanted]

    async def _synthesized(self, engine: str, name: str, text: str, mood: str) -> bytes:
        from reachy_mind.speech.voices import synthesized  # noqa: PLC0415

        if self._closing is not None:
            await cancel_and_wait(self._closing)
        try:
            voice = await self._opened(engine, name)
            async with aclosing(synthesized(voice, text, MOODS[mood or "neutral"])) as pieces:
                return b"".join([piece async for piece in pieces])
        finally:
            self._closing = asyncio.create_task(self._close_later(), name="voice sample")

    async def _opened(self, engine: str, name: str) -> Voice:
        from reachy_mind.speech import engines, kokoro  # noqa: PLC0415

        if self._voice is not None and self._of == (engine, name):
            return self._voice
        if isinstance(self._voice, kokoro.KokoroVoice) and engine == "kokoro":
            self._voice = self._voice.named(name)
        else:
            await self._close()
            chosen = engines.mouth(self._configuration(), name, engine=engine)
            self._voice = engines.required(chosen, "voice")
        self._of = (engine, name)
        return self._voice

    async def _close_later(self) -> None:
        await asyncio.sleep(IDLE_S)
        await self._close()

    async def _close(self) -> None:
        voice, self._voice = self._voice, None
        if voice is not None:
            await voice.aclose()
