"""`Clock`: real time for a simulation. Late ticks are caught up; only after a long pause is time given up."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

GIVE_UP_AFTER_S = 2.0


class Clock:
    """Calls `tick` once per period on an absolute grid, as many times in a row as it takes to be on time again."""

    def __init__(self, period_s: float) -> None:
        self.period_s = period_s
        self.skipped_s = 0.0
        self._start = time.monotonic()

    def elapsed(self) -> float:
        """Real seconds since the clock was started, less what was given up."""
        return time.monotonic() - self._start - self.skipped_s

    async def run(self, tick: Callable[[], None]) -> None:
        """Tick until cancelled, giving other tasks a turn after each tick."""
        self._start, ticks = time.monotonic(), 0
        while True:
            late_s = self.elapsed() - (ticks + 1) * self.period_s
            if late_s > GIVE_UP_AFTER_S:  # the machine slept: nobody wants minutes replayed in a rush
                self.skipped_s += late_s
                late_s = 0.0
            await asyncio.sleep(max(0.0, -late_s))
            tick()
            ticks += 1
