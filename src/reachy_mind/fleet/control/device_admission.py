"""`DeviceAdmission`: when many devices come at once, as after a restart, only some are let in at a time.

Some more wait. The others are told when to come back: one after the other, as fast as devices are being let in.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import AsyncIterator, Callable
from typing import Final

from reachy_mind.errors import TooMany

MAX_WAITING: Final = 512
MAX_OPENING: Final = 32
"""Handshakes at the same time."""
FIRST_PER_S: Final = 300.0
"""How many are let in a second, as long as that was not measured."""
SLOWEST_PER_S: Final = 50.0
HASTE: Final = 1.25
"""So many times as fast are they told to come back: some wait then, and the node is never idle."""
SMOOTHING: Final = 0.02
"""Weight of the latest one in the measured time between two."""
LATEST_S: Final = 30.0
"""Nobody is told to come back later than this."""


class NodeBusy(TooMany):
    """`retry_after_s`: when there is probably room."""

    def __init__(self, retry_after_s: float) -> None:
        super().__init__("too many devices connect at the same time", hint="come back after Retry-After")
        self.retry_after_s = retry_after_s


class DeviceAdmission:
    """The way in of a node. `clock`: in seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._opening = asyncio.Semaphore(MAX_OPENING)
        self._waiting = 0
        self._interval_s = 1 / FIRST_PER_S
        self._let_in_at: float | None = None
        """When the last one was let in, while others waited since."""
        self._next_return = 0.0

    @contextlib.asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Wait for a place, and have it during the handshake. Raises NoRoom."""
        if self._waiting >= MAX_WAITING:
            raise NodeBusy(self._return_s())
        self._waiting += 1
        try:
            async with self._opening:
                yield
        finally:
            self._waiting -= 1
            self._measure()

    def _measure(self) -> None:
        now = self._clock()
        if self._let_in_at is not None:
            between = min(1 / SLOWEST_PER_S, now - self._let_in_at)
            self._interval_s += SMOOTHING * (between - self._interval_s)
        busy = self._waiting >= MAX_OPENING  # else the time until the next one says nothing of how fast we are
        self._let_in_at = now if busy else None

    def _return_s(self) -> float:
        """Behind those that wait, and behind those that were told to come back."""
        now, interval_s = self._clock(), self._interval_s / HASTE
        self._next_return = max(self._next_return, now + self._waiting * interval_s) + interval_s
        return min(LATEST_S, math.ceil(self._next_return - now))
