"""`ProcessMemory`: the memory of this process and its children over time, and whether it grows."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections import defaultdict
from itertools import combinations

import psutil

PERIOD_S = 5.0
SETTLED_SHARE, SETTLED_S = 1 / 3, 120.0
"""The first part of a run, and at least so much, is not judged: models load, the cache of frequent phrases fills, and
buffers grow to the longest sentence so far."""
MAX_GROWTH_MB = 40.0
MAX_SLOPE_MB, SLOPE_AFTER_S = 2.0, 300.0
"""The most that all processes together may grow in a minute, and after which time a slope says something."""
MOST_POINTS = 200


class ProcessMemory:
    """Call `watch` as a task."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._measured: dict[str, list[tuple[float, float]]] = defaultdict(list)
        """Seconds and megabytes, by process; `all` is their sum."""

    async def watch(self) -> None:
        while True:
            self.measure()
            await asyncio.sleep(PERIOD_S)

    def measure(self) -> None:
        """Note the memory of every process now."""
        sums: dict[str, float] = defaultdict(float)
        own = psutil.Process()
        for process in (own, *own.children(recursive=True)):
            try:
                megabytes = process.memory_info().rss / 1e6
                sums["mind" if process == own else process_name(process.cmdline())] += megabytes
            except psutil.Error:
                continue  # it has just ended
        self.add(time.monotonic() - self._began, sums)

    def add(self, at_s: float, megabytes: dict[str, float]) -> None:
        """Note what each process used at that time."""
        for name, used in megabytes.items():
            self._measured[name].append((at_s, used))
        self._measured["all"].append((at_s, sum(megabytes.values())))

    def _settled(self, name: str) -> list[tuple[float, float]]:
        points, last = self._measured[name], self._measured["all"][-1][0] if self._measured["all"] else 0.0
        return [point for point in points if point[0] >= max(SETTLED_S, last * SETTLED_SHARE)]

    def _settled_s(self) -> float:
        """How long memory has been judged."""
        settled = self._settled("all")
        return settled[-1][0] - settled[0][0] if settled else 0.0

    def slope_mb_per_minute(self, name: str = "all") -> float:
        """The median slope (Theil-Sen): peaks of single sentences do not count."""
        points = self._settled(name)
        points = points[:: max(1, len(points) // MOST_POINTS + 1)]
        slopes = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in combinations(points, 2) if b[0] > a[0]]
        return 60 * statistics.median(slopes) if slopes else 0.0

    def growth_mb(self) -> float:
        """From the start of the judged part to the end, by the medians of their first and last quarters."""
        used = [megabytes for _, megabytes in self._settled("all")]
        quarter = max(1, len(used) // 4)
        return statistics.median(used[-quarter:]) - statistics.median(used[:quarter]) if used else 0.0

    @property
    def flat(self) -> bool:
        """Whether memory does not grow, as far as the time says."""
        measured = self._measured["all"]
        judged = bool(measured) and measured[-1][0] >= SLOPE_AFTER_S
        return self.growth_mb() < MAX_GROWTH_MB and not (judged and self.slope_mb_per_minute() > MAX_SLOPE_MB)

    def line(self) -> str:
        """Every process with its memory and slope, the largest first."""
        now = {name: points[-1][1] for name, points in self._measured.items() if points}
        names = sorted(now, key=lambda name: -now[name])
        return "MB (slope a minute): " + ", ".join(
            f"{name} {now[name]:.0f} ({self.slope_mb_per_minute(name):+.1f})" for name in names
        )

    def figures(self) -> dict[str, object]:
        """For the end of a run."""
        now = {name: points[-1][1] for name, points in self._measured.items() if points}
        return {
            "memory_mb": {name: round(used, 1) for name, used in sorted(now.items())},
            "memory_slope_mb_per_minute": {name: round(self.slope_mb_per_minute(name), 2) for name in sorted(now)},
            "memory_growth_mb": round(self.growth_mb(), 1),
            "memory_judged_s": round(max(0.0, self._settled_s())),
            "memory_flat": self.flat,
        }


def process_name(argv: list[str]) -> str:
    """The module that a Python process runs, or the program of another one."""
    if "-m" in argv[:-1]:
        module, *rest = argv[argv.index("-m") + 1 :]
        hosts = rest[0] if rest and not rest[0].startswith("-") else ""  # a worker process names what it hosts
        return f"{module.removeprefix('reachy_mind.')} {hosts}".strip()
    return argv[0].rsplit("/", 1)[-1] if argv else "ended"
