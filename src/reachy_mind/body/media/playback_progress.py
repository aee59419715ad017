"""`PlaybackProgress`: samples written to and played by a speaker, with waiting for both (backpressure)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

from reachy_mind.body.media import MAX_QUEUED_S, SAMPLE_RATE_HZ
from reachy_mind.errors import InvalidParameter, LinkLost

PART_BYTES = 3200
CLOSED = "it is not open"


class PlaybackProgress:
    """In samples of 16 kHz. `gone`: why nothing can be played any more; empty while it can."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._moved = asyncio.Event()
        self.gone = CLOSED
        self.written = self.position = 0

    def opened(self) -> None:
        self.gone = ""

    def lose(self, reason: str) -> None:
        """Mark the speaker as lost; waiting calls raise LinkLost."""
        self.gone = self.gone or reason
        self.wake()

    def closed(self) -> None:
        self.gone = CLOSED
        self.wake()

    def wake(self) -> None:
        """Make waiting calls check their condition again."""
        self._moved.set()
        self._moved = asyncio.Event()

    def check(self) -> None:
        if self.gone:
            raise LinkLost(f"the {self._what} can't be used: {self.gone}")

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait for a condition. Raises LinkLost when the speaker is lost meanwhile."""
        while not condition():
            self.check()
            await self._moved.wait()

    async def wait_for_space(self) -> None:
        """Wait while more than a second is queued. Raises LinkLost."""
        await self.until(lambda: self.written - self.position <= MAX_QUEUED_S * SAMPLE_RATE_HZ)


def parts(pcm: bytes) -> Iterator[bytes]:
    """`pcm` in pieces of a tenth of a second. Raises InvalidParameter for half a sample."""
    if len(pcm) % 2:
        raise InvalidParameter(f"{len(pcm)} bytes are no whole number of samples", hint="write 16-bit PCM, mono")
    for begin in range(0, len(pcm), PART_BYTES):
        yield pcm[begin : begin + PART_BYTES]
