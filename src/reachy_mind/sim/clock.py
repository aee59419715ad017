"""`RealTimeClock`: runs a simulation in real time. Late ticks are caught up; time of a long pause is skipped."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

MAX_CATCH_UP_S = 2.0


class RealTimeClock:
    """Calls `tick` once per period with absolute deadlines, several times in a row when late."""

    def __init__(self, period_s: float) -> None:
        self.period_s = period_s
        self.skipped_s = 0.0
        self._start = time.monotonic()

    def elapsed(self) -> float:
        """Real seconds since the start, without skipped time."""
        return time.monotonic() - self._start - self.skipped_s

    async def run(self, tick: Callable[[], None]) -> None:
        """Tick until cancelled; yield to other tasks after each tick."""
        self._start, ticks = time.monotonic(), 0
        while True:
            late_s = self.elapsed() - (ticks + 1) * self.period_s
            if late_s > MAX_CATCH_UP_S:  # the machine was suspended: do not replay minutes at once
                self.skipped_s += late_s
                late_s = 0.0
            await asyncio.sleep(max(0.0, -late_s))
            tick()
            ticks += 1
