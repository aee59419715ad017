"""`Tally`: how much of what was written to a loudspeaker has been played, and who waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

from reachy_mind.body.media import AHEAD_S, SAMPLE_RATE_HZ
from reachy_mind.errors import InvalidParameter, LinkLost

PART_BYTES = 3200
CLOSED = "it is not open"


class Tally:
    """Counts in samples of 16 kHz. `gone` is why nothing can be played any more; empty while it can."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._moved = asyncio.Event()
        self.gone = CLOSED
        self.written = self.position = 0

    def opened(self) -> None:
        self.gone = ""

    def lose(self, reason: str) -> None:
        """Nothing more will be played; everybody who waits is told."""
        self.gone = self.gone or reason
        self.wake()

    def closed(self) -> None:
        self.gone = CLOSED
        self.wake()

    def wake(self) -> None:
        """Everybody who waits looks again; each gets an event of its own to wait for next."""
        self._moved.set()
        self._moved = asyncio.Event()

    def check(self) -> None:
        if self.gone:
            raise LinkLost(f"the {self._what} can't be used: {self.gone}")

    async def until(self, fits: Callable[[], bool]) -> None:
        """Raises LinkLost when the loudspeaker goes meanwhile."""
        while not fits():
            self.check()
            await self._moved.wait()

    async def room(self) -> None:
        """Wait while more than a second is still to be played."""
        await self.until(lambda: self.written - self.position <= AHEAD_S * SAMPLE_RATE_HZ)


def parts(pcm: bytes) -> Iterator[bytes]:
    """`pcm` in pieces of a tenth of a second. Raises InvalidParameter when it is no 16-bit PCM."""
    if len(pcm) % 2:
        raise InvalidParameter(f"{len(pcm)} bytes are no whole number of samples", hint="write 16-bit PCM, mono")
    for begin in range(0, len(pcm), PART_BYTES):
        yield pcm[begin : begin + PART_BYTES]
