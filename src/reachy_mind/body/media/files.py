"""`WavMicrophone` and `WavSpeaker`: sound from a file as if it were spoken now, and what is said into one."""

from __future__ import annotations

import asyncio
import time
import wave
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Self

from reachy_mind.body.media import BLOCK_BYTES, BLOCK_SAMPLES, SAMPLE_RATE_HZ
from reachy_mind.body.media.clock import Clock
from reachy_mind.errors import NotReady

LEAD_BLOCKS = 25
SKIPPED_AFTER_S = 6.0
"""Longer than a pause in what somebody says may be."""
SILENT = 100
"""The highest sample that nobody hears."""
YIELDED_BLOCKS = 50
"""So many are skipped before others have their turn."""


class WavMicrophone:
    """`sound`, `seconds` long, at the pace of time, then silence; `ended` is set when the last of it was heard.

    Of a long silence in it only the first and the last moments are heard, if `idle` says that nobody has to do with
    what was said before: an hour in which three sentences are spoken takes as long as those.
    """

    def __init__(
        self, name: str, sound: Iterator[bytes], seconds: float, idle: Callable[[], bool] = lambda: False
    ) -> None:
        self._name, self._sound, self._idle = name, sound, idle
        self.seconds = seconds
        self._rest = bytearray()
        self._kept: deque[bytes] = deque()
        """Blocks that were read to find the end of a silence, and have yet to be heard."""
        self.ended = asyncio.Event()
        self.lost = self.position = 0

    @property
    def device(self) -> str:
        return f"the file {self._name}"

    @property
    def heard_s(self) -> float:
        return self.position / SAMPLE_RATE_HZ

    async def __aiter__(self) -> AsyncIterator[bytes]:
        due, quiet = time.monotonic(), 0
        while True:
            block = self._kept.popleft() if self._kept else self._read()
            if block is None:
                self.ended.set()
            self.position += BLOCK_SAMPLES if block else 0
            quiet = quiet + 1 if block is None or _silent(block) else 0
            if block and quiet * BLOCK_SAMPLES > SKIPPED_AFTER_S * SAMPLE_RATE_HZ and self._idle():
                await self._skip()
                quiet, due = 0, time.monotonic()
            yield block or bytes(BLOCK_BYTES)
            due += BLOCK_SAMPLES / SAMPLE_RATE_HZ
            await asyncio.sleep(max(0.0, due - time.monotonic()))

    def _read(self) -> bytes | None:
        """The next block, None after the last one."""
        while len(self._rest) < BLOCK_BYTES and (piece := next(self._sound, None)) is not None:
            self._rest += piece
        block = bytes(self._rest[:BLOCK_BYTES])
        del self._rest[:BLOCK_BYTES]
        return block.ljust(BLOCK_BYTES, b"\0") if block else None

    async def _skip(self) -> None:
        """To the last moments of a silence."""
        skipped = 0
        while (block := self._read()) is not None:
            self._kept.append(block)
            if not _silent(block):
                break
            if len(self._kept) > LEAD_BLOCKS:
                self._kept.popleft()
                self.position += BLOCK_SAMPLES
            skipped += 1
            if skipped % YIELDED_BLOCKS == 0:
                await asyncio.sleep(0)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        return None


def _silent(block: bytes) -> bool:
    import numpy as np  # noqa: PLC0415 -- kept out of `reachy-mind --help`

    return int(np.abs(np.frombuffer(block, "<i2").astype(np.int32)).max(initial=0)) <= SILENT


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
        await asyncio.to_thread(self.save)
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self.save)

    def save(self) -> None:
        """What was played so far. Raises NotReady when it can't be written."""
        if self._file is None:
            return
        try:
            with self._file.open("wb") as out, wave.open(out, "wb") as file:
                file.setnchannels(1)
                file.setsampwidth(2)
                file.setframerate(SAMPLE_RATE_HZ)
                file.writeframes(self._pcm)
        except OSError as error:
            raise NotReady(
                f"{self._file} can't be written: {error.strerror}", hint="choose another --output"
            ) from error
