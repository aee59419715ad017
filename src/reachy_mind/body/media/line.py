"""`Line`: microphone and loudspeaker of somebody at the other end of a network connection.

What comes in is given to `feed`; what is to be played there goes out through `send`, and with it `flush {number}`: play
nothing more of what has come so far. The other end may tell how far it got: `played` samples since the flush of that
number, 0 being the start. Without that, positions are by the clock.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Self

from reachy_mind.body.media import BLOCK_BYTES, BLOCK_SAMPLES, SAMPLE_RATE_HZ, Media, missing
from reachy_mind.body.media.clock import Clock
from reachy_mind.errors import InvalidParameter, LinkLost, NotReady

BLOCK_S = BLOCK_SAMPLES / SAMPLE_RATE_HZ
MOST_BLOCKS = round(10 / BLOCK_S)
"""So much may come ahead of its time; of more the oldest is lost."""
GAP_S = 0.2
"""After so long without sound the other end counts as silent: whoever waits for the end of a sentence gets it."""
LATE_S = 2.0
"""Reports of what was played are believed so far behind the clock."""

Send = Callable[[bytes | dict[str, Any]], Awaitable[None]]


class Line:
    """One for each connection. `muted`: silence is heard, whatever comes."""

    def __init__(self, send: Send) -> None:
        self.send = send
        self.muted = False
        self.gone = ""
        self._rest = bytearray()
        self._blocks: deque[bytes] = deque()
        self._came = asyncio.Event()
        self.lost = 0
        self.flushes = 0
        self.played: int | None = None
        """Since the last flush, as the other end tells; None while it tells nothing."""

    def feed(self, pcm: bytes) -> None:
        """Sound that came. Raises InvalidParameter for half a sample."""
        if len(pcm) % 2:
            raise InvalidParameter(f"{len(pcm)} bytes are no whole number of samples", hint="16-bit PCM, 16 kHz, mono")
        if self.muted:
            return
        self._rest += pcm
        while len(self._rest) >= BLOCK_BYTES:
            self._blocks.append(bytes(self._rest[:BLOCK_BYTES]))
            del self._rest[:BLOCK_BYTES]
        while len(self._blocks) > MOST_BLOCKS:
            self._blocks.popleft()
            self.lost += BLOCK_SAMPLES
        self._came.set()

    def report(self, samples: int, number: int) -> None:
        """How far the other end says it is."""
        if number == self.flushes:
            self.played = max(self.played or 0, samples)

    async def take(self, quiet_since: float) -> bytes:
        """The next twenty milliseconds: what came, or silence when nothing does."""
        if not self._blocks:
            self._came.clear()
            due = quiet_since + (BLOCK_S if self.muted else GAP_S)
            try:
                async with asyncio.timeout(max(0.0, due - time.monotonic())):
                    await self._came.wait()
            except TimeoutError:
                return b""
        return self._blocks.popleft() if self._blocks else b""

    def media(self, reason: str) -> Media:
        camera = missing("camera", reason, "a line has none")
        return Media("line", reason, camera, lambda: LineMicrophone(self), lambda: LineSpeaker(self))


class LineMicrophone:
    device = "line"

    def __init__(self, line: Line) -> None:
        self._line = line
        self.lost = self.position = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Raises LinkLost when the other end has gone."""
        heard_at = time.monotonic()
        while not self._line.gone:
            block = await self._line.take(heard_at)
            now = time.monotonic()
            silences = 0 if block else max(1, round((now - heard_at) / BLOCK_S))
            heard_at = now
            for piece in [block] if block else [bytes(BLOCK_BYTES)] * silences:
                self.position += BLOCK_SAMPLES
                yield piece
            self.lost = self._line.lost
        raise LinkLost(f"the line has gone: {self._line.gone}")

    async def __aenter__(self) -> Self:
        if self._line.gone:
            raise NotReady(f"the line has gone: {self._line.gone}")
        return self

    async def __aexit__(self, *_: object) -> None:
        return None


class LineSpeaker:
    device = "line"

    def __init__(self, line: Line) -> None:
        self._line, self._clock = line, Clock()
        self._flushed_at = 0

    @property
    def written(self) -> int:
        return self._clock.written

    @property
    def position(self) -> int:
        by_clock = self._clock.position
        if self._line.played is None:
            return by_clock
        told = min(self._flushed_at + self._line.played, self.written)
        return max(told, by_clock - round(LATE_S * SAMPLE_RATE_HZ))

    async def write(self, pcm: bytes) -> None:
        """Play this after what was written before. Waits while more than a second is still to be played."""
        await self._clock.room()
        if self._line.gone:
            raise LinkLost(f"the line has gone: {self._line.gone}")
        await self._line.send(pcm)
        self._clock.write(len(pcm) // 2)

    async def drained(self) -> None:
        await self._clock.until(self.written)

    async def flush(self) -> int:
        """The number of written samples that nobody will hear, as far as that is known here."""
        dropped = self._clock.flush(self.position)
        self._flushed_at = self.written
        self._line.flushes += 1
        self._line.played = None if self._line.played is None else 0
        await self._line.send({"type": "flush", "number": self._line.flushes})
        return dropped

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        return None
