"""`WavMicrophone` and `WavSpeaker`: media devices that read from and write to WAV files in real time."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Self

import numpy as np

from reachy_mind.body import wav
from reachy_mind.body.media import BLOCK_BYTES, BLOCK_SAMPLES, SAMPLE_RATE_HZ
from reachy_mind.body.media.playback_clock import PlaybackClock
from reachy_mind.errors import NotReady

LEAD_BLOCKS = 25
SKIP_SILENCE_AFTER_S = 6.0
"""Longer than any pause within an utterance."""
SILENCE_LEVEL = 100
"""Samples up to this amplitude count as silence."""
BLOCKS_PER_YIELD = 50
"""Blocks skipped before yielding to the event loop."""


class WavMicrophone:
    """Plays `sound`, `seconds` long, in real time, then silence; sets `ended` after the last block.

    A long silence is skipped except for its beginning and end while `idle` returns True, that is, while nothing still
    processes the speech before it. So an hour with three sentences takes as long as the sentences.
    """

    def __init__(
        self, name: str, sound: Iterator[bytes], seconds: float, idle: Callable[[], bool] = lambda: False
    ) -> None:
        self._name, self._sound, self._idle = name, sound, idle
        self.seconds = seconds
        self._rest = bytearray()
        self._lookahead: deque[bytes] = deque()
        """Blocks read ahead to find the end of a silence."""
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
            block = self._lookahead.popleft() if self._lookahead else self._read()
            if block is None:
                self.ended.set()
            self.position += BLOCK_SAMPLES if block else 0
            quiet = quiet + 1 if block is None or _silent(block) else 0
            if block and quiet * BLOCK_SAMPLES > SKIP_SILENCE_AFTER_S * SAMPLE_RATE_HZ and self._idle():
                await self._skip()
                quiet, due = 0, time.monotonic()
            yield block or bytes(BLOCK_BYTES)
            due += BLOCK_SAMPLES / SAMPLE_RATE_HZ
            await asyncio.sleep(max(0.0, due - time.monotonic()))

    def _read(self) -> bytes | None:
        """The next block; None after the last."""
        while len(self._rest) < BLOCK_BYTES and (piece := next(self._sound, None)) is not None:
            self._rest += piece
        block = bytes(self._rest[:BLOCK_BYTES])
        del self._rest[:BLOCK_BYTES]
        return block.ljust(BLOCK_BYTES, b"\0") if block else None

    async def _skip(self) -> None:
        """Skip to the last moments of a silence."""
        skipped = 0
        while (block := self._read()) is not None:
            self._lookahead.append(block)
            if not _silent(block):
                break
            if len(self._lookahead) > LEAD_BLOCKS:
                self._lookahead.popleft()
                self.position += BLOCK_SAMPLES
            skipped += 1
            if skipped % BLOCKS_PER_YIELD == 0:
                await asyncio.sleep(0)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        return None


def _silent(block: bytes) -> bool:
    return int(np.abs(np.frombuffer(block, "<i2").astype(np.int32)).max(initial=0)) <= SILENCE_LEVEL


class WavSpeaker:
    """Writes what was played, without the gaps, to `file` on exit; without a file, to nothing. Positions are estimated
    by the clock."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._clock = PlaybackClock()
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
        """Queue samples. Waits while more than a second is queued."""
        await self._clock.wait_for_space()
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
        """Write what was played so far. Raises NotReady when the file can't be written."""
        if self._file is None:
            return
        try:
            self._file.write_bytes(wav.write(bytes(self._pcm)))
        except OSError as error:
            raise NotReady(
                f"{self._file} can't be written: {error.strerror}", hint="choose another --output"
            ) from error
