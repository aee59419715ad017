"""`NetworkAudio`: microphone and speaker of a remote client over a network connection.

Received audio goes into `feed`. Audio to play goes out through `send`, and so does the number of a flush: the
client drops what it has received so far. It may report its playback position: `played` samples since the flush
of that number (0: the start). Without reports, positions are estimated by the clock.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Self

from reachy_mind.body.media import BLOCK_BYTES, BLOCK_SAMPLES, SAMPLE_RATE_HZ, Media, unavailable
from reachy_mind.body.media.playback_clock import PlaybackClock
from reachy_mind.errors import InvalidParameter, LinkLost, NotReady

BLOCK_S = BLOCK_SAMPLES / SAMPLE_RATE_HZ
MAX_BLOCKS = round(10 / BLOCK_S)
"""Receive buffer of ten seconds; above, the oldest block is dropped."""
SILENCE_AFTER_S = 0.2
"""After this long without data, silence is inserted, so that end-of-turn detection goes on."""
MAX_REPORT_LAG_S = 2.0
"""A reported position may lag the clock by this much at most."""

Send = Callable[[bytes | int], Awaitable[None]]
"""Sends audio to play, or the number of a flush."""


class NetworkAudio:
    """One per connection. `muted`: received audio is replaced by silence."""

    def __init__(self, send: Send) -> None:
        self.send = send
        self.muted = False
        self.gone = ""
        self._partial = bytearray()
        self._blocks: deque[bytes] = deque()
        self._received = asyncio.Event()
        self.lost = 0
        self.flushes = 0
        self.played: int | None = None
        """Reported samples played since the last flush; None without reports."""

    def feed(self, pcm: bytes) -> None:
        """Add received PCM. Raises InvalidParameter for half a sample."""
        if len(pcm) % 2:
            raise InvalidParameter(f"{len(pcm)} bytes are no whole number of samples", hint="16-bit PCM, 16 kHz, mono")
        if self.muted:
            return
        self._partial += pcm
        while len(self._partial) >= BLOCK_BYTES:
            self._blocks.append(bytes(self._partial[:BLOCK_BYTES]))
            del self._partial[:BLOCK_BYTES]
        while len(self._blocks) > MAX_BLOCKS:
            self._blocks.popleft()
            self.lost += BLOCK_SAMPLES
        self._received.set()

    @property
    def waiting_s(self) -> float:
        """Seconds of received sound that were not read yet."""
        return len(self._blocks) * BLOCK_S

    def clear(self) -> None:
        """Drop what was received and not read yet."""
        self._blocks.clear()
        self._partial.clear()

    def report(self, samples: int, number: int) -> None:
        """Take a position report of the client."""
        if number == self.flushes:
            self.played = max(self.played or 0, samples)

    async def take(self, quiet_since: float) -> bytes:
        """The next block of 20 ms; empty when none came in time and silence is due."""
        if not self._blocks:
            self._received.clear()
            due = quiet_since + (BLOCK_S if self.muted else SILENCE_AFTER_S)
            try:
                async with asyncio.timeout(max(0.0, due - time.monotonic())):
                    await self._received.wait()
            except TimeoutError:
                return b""
        return self._blocks.popleft() if self._blocks else b""

    def media(self, reason: str) -> Media:
        camera = unavailable("camera", reason, "a line has none")
        return Media("line", reason, camera, lambda: NetworkMicrophone(self), lambda: NetworkSpeaker(self))


class NetworkMicrophone:
    device = "line"

    def __init__(self, audio: NetworkAudio) -> None:
        self._audio = audio
        self.lost = self.position = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Raises LinkLost when the connection is closed."""
        heard_at = time.monotonic()
        while not self._audio.gone:
            block = await self._audio.take(heard_at)
            now = time.monotonic()
            silences = 0 if block else max(1, round((now - heard_at) / BLOCK_S))
            heard_at = now
            for piece in [block] if block else [bytes(BLOCK_BYTES)] * silences:
                self.position += BLOCK_SAMPLES
                yield piece
            self.lost = self._audio.lost
        raise LinkLost(f"the line has gone: {self._audio.gone}")

    async def __aenter__(self) -> Self:
        if self._audio.gone:
            raise NotReady(f"the line has gone: {self._audio.gone}")
        return self

    async def __aexit__(self, *_: object) -> None:
        return None


class NetworkSpeaker:
    device = "line"

    def __init__(self, audio: NetworkAudio) -> None:
        self._audio, self._clock = audio, PlaybackClock()
        self._flushed_at = 0

    @property
    def written(self) -> int:
        return self._clock.written

    @property
    def position(self) -> int:
        by_clock = self._clock.position
        if self._audio.played is None:
            return by_clock
        reported = min(self._flushed_at + self._audio.played, self.written)
        return max(reported, by_clock - round(MAX_REPORT_LAG_S * SAMPLE_RATE_HZ))

    async def write(self, pcm: bytes) -> None:
        """Queue samples. Waits while more than a second is queued. Raises LinkLost."""
        await self._clock.wait_for_space()
        if self._audio.gone:
            raise LinkLost(f"the line has gone: {self._audio.gone}")
        await self._audio.send(pcm)
        self._clock.write(len(pcm) // 2)

    async def drained(self) -> None:
        await self._clock.until(self.written)

    async def flush(self) -> int:
        """Returns the number of samples dropped, as far as it is known here."""
        dropped = self._clock.flush(self.position)
        self._flushed_at = self.written
        self._audio.flushes += 1
        self._audio.played = None if self._audio.played is None else 0
        await self._audio.send(self._audio.flushes)
        return dropped

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        return None
