"""Timing statistics of the control loop: jitter (lateness of each send) and computing time per tick."""

from __future__ import annotations

from array import array

KEPT_TICKS = 8192


class Lateness:
    """The last 8192 ticks, in microseconds; nothing is allocated while it records."""

    def __init__(self) -> None:
        self._late = array("l", [0]) * KEPT_TICKS
        self._cost = array("l", [0]) * KEPT_TICKS
        self.ticks = 0
        self.skipped = 0

    def add(self, late_s: float, cost_s: float) -> None:
        place = self.ticks % KEPT_TICKS
        self._late[place], self._cost[place] = int(late_s * 1e6), int(cost_s * 1e6)
        self.ticks += 1

    def clear(self) -> None:
        self.ticks = self.skipped = 0

    def figures(self) -> dict[str, float]:
        """Percentiles of lateness and computing time in milliseconds, over the kept ticks."""
        kept = min(self.ticks, KEPT_TICKS)
        if not kept:
            return {}
        late, cost = sorted(self._late[:kept]), sorted(self._cost[:kept])
        return {
            "p50_ms": late[kept // 2] / 1000,
            "p99_ms": late[int(kept * 0.99)] / 1000,
            "max_ms": late[-1] / 1000,
            "compute_p50_ms": cost[kept // 2] / 1000,
            "compute_p99_ms": cost[int(kept * 0.99)] / 1000,
            "ticks": float(self.ticks),
            "skipped": float(self.skipped),
        }
