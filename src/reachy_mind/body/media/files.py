"""`WavMicrophone` and `WavSpeaker`: sound from a file as if it were spoken now, and what is said into one."""

from __future__ import annotations

import asyncio
import time
import wave
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Self

from reachy_mind.body.media import BLOCK_BYTES, BLOCK_SAMPLES, SAMPLE_RATE_HZ
from reachy_mind.body.media.clock import Clock
from reachy_mind.errors import NotReady


class WavMicrophone:
    """`pcm` at the pace of time, then silence; `ended` is set when the last of it was heard."""

    def __init__(self, name: str, pcm: bytes) -> None:
        self._name, self._pcm = name, pcm
        self.ended = asyncio.Event()
        self.lost = self.position = 0

    @property
    def device(self) -> str:
        return f"the file {self._name}"

    async def __aiter__(self) -> AsyncIterator[bytes]:
        due = time.monotonic()
        while True:
            begin = 2 * self.position
            self.position += BLOCK_SAMPLES
            yield self._pcm[begin : begin + BLOCK_BYTES].ljust(BLOCK_BYTES, b"\0")
            if 2 * self.position >= len(self._pcm):
                self.ended.set()
            due += BLOCK_SAMPLES / SAMPLE_RATE_HZ
            await asyncio.sleep(max(0.0, due - time.monotonic()))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        return None


class WavSpeaker:
    """Writes what was played, and no silence, into a file when it is closed; into none, if none is given. Positions are
    by the clock."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._clock = Clock()
        self._pcm = bytearray()

    @property
    def device(self) -> str:
        return f"the file {self._file}" if self._file else "nothing"

    @property
    def written(self) -> int:
        return self._clock.written

    @property
    def position(self) -> int:
        return self._clock.position

    async def write(self, pcm: bytes) -> None:
        """Play this after what was written before. Waits while more than a second is still to be played."""
        await self._clock.room()
        self._clock.write(len(pcm) // 2)
        self._pcm += pcm

    async def drained(self) -> None:
        await self._clock.until(self.written)

    async def flush(self) -> int:
        dropped = self._clock.flush()
        del self._pcm[2 * self.written :]
        return dropped

    async def __aenter__(self) -> Self:
        await asyncio.to_thread(self._save)
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self._save)

    def _save(self) -> None:
        if self._file is None:
            return
        try:
            with wave.open(str(self._file), "wb") as file:
                file.setnchannels(1)
                file.setsampwidth(2)
                file.setframerate(SAMPLE_RATE_HZ)
                file.writeframes(self._pcm)
        except OSError as error:
            raise NotReady(
                f"{self._file} can't be written: {error.strerror}", hint="choose another --output"
            ) from error
