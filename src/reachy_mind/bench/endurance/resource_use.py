"""`ResourceUse`: memory, file descriptors, threads and tasks of each process, and disk use; and whether they grow.

Memory is PSS (what a process shares is divided among those that share it) where the system tells it, else RSS. A slope
is the median of the slopes between any two samples of the same process (Theil and Sen), with the 95 % interval of Sen
(1968); processes that were started again form groups of their own, whose variances add up (Hirsch and Slack, 1984).
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import statistics
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Final, Literal

import httpx
import psutil
from prometheus_client.parser import text_string_to_metric_families

from reachy_mind.bench.endurance.rig import EnduranceRig
from reachy_mind.bench.process_memory import process_name

PERIOD_S: Final = 10.0
SETTLING_S: Final = 120.0
"""After its start a process loads models, fills caches and meets everything for the first time: not judged."""
Z_95: Final = 1.96
MOST_POINTS: Final = 400
Quantity = Literal["memory_mb", "descriptors", "threads", "tasks", "disk_mb"]
LARGEST_SLOPES: Final[dict[Quantity, float]] = {
    "memory_mb": 12.0,
    "descriptors": 6.0,
    "threads": 6.0,
    "tasks": 12.0,
    "disk_mb": 60.0,
}
"""In an hour. A quantity grows when the whole interval of its slope is above 0 and the slope above this."""


@dataclass(frozen=True)
class ResourceSample:
    """One measurement; `process` tells processes of the same name apart."""

    at: float
    process: str
    value: float


@dataclass(frozen=True)
class Slope:
    """In an hour, with its 95 % interval. `points`: from how many samples."""

    per_hour: float
    low: float
    high: float
    points: int

    def grows(self, quantity: Quantity) -> bool:
        return self.points > 0 and self.low > 0 and self.per_hour > LARGEST_SLOPES[quantity]


def slope(samples: Iterable[ResourceSample]) -> Slope:
    """Of all groups together."""
    groups: dict[str, list[ResourceSample]] = defaultdict(list)
    for sample in samples:
        groups[sample.process].append(sample)
    slopes: list[float] = []
    variance, points = 0.0, 0
    for group in groups.values():
        kept = group[:: len(group) // MOST_POINTS + 1]
        count = len(kept)
        points += count
        variance += count * (count - 1) * (2 * count + 5) / 18
        slopes += [(b.value - a.value) / (b.at - a.at) for a, b in combinations(kept, 2) if b.at > a.at]
    if not slopes:
        return Slope(0.0, 0.0, 0.0, 0)
    slopes.sort()
    reach = Z_95 * math.sqrt(variance)
    low = slopes[max(0, math.floor((len(slopes) - reach) / 2))]
    high = slopes[min(len(slopes) - 1, math.ceil((len(slopes) + reach) / 2))]
    return Slope(_per_hour(statistics.median(slopes)), _per_hour(low), _per_hour(high), points)


class ResourceUse:
    """Call `watch` as a task."""

    def __init__(self, rig: EnduranceRig) -> None:
        self._rig = rig
        self._began: dict[str, float] = {}
        """When each process was first seen."""
        self.samples: dict[tuple[Quantity, str], list[ResourceSample]] = defaultdict(list)
        """By quantity and name of the process."""
        self.seen: dict[int, float] = {}
        """Every process that ever ran, with the time of its creation."""

    async def watch(self) -> None:
        while True:
            began = time.monotonic()
            await asyncio.to_thread(self._measure)
            await self._ask()
            await asyncio.sleep(max(1.0, began + PERIOD_S - time.monotonic()))

    def _measure(self) -> None:
        now = time.monotonic()
        for process in self._rig.processes():
            with contextlib.suppress(psutil.Error, OSError):
                self._measure_process(process, now)
        used = sum(file.stat().st_size for file in _files(self._rig.home))
        self._add("disk_mb", "data folder", ResourceSample(now, "disk", used / 1e6))

    def _measure_process(self, process: psutil.Process, now: float) -> None:
        with process.oneshot():
            name, created = self._name(process), process.create_time()
            memory, descriptors, threads = _memory_mb(process), process.num_fds(), process.num_threads()
        self.seen[process.pid] = created
        identity = f"{process.pid}-{created}"
        self._began.setdefault(identity, now)
        measured: dict[Quantity, float] = {"memory_mb": memory, "descriptors": descriptors, "threads": threads}
        for quantity, value in measured.items():
            self._add(quantity, name, ResourceSample(now, identity, value))

    async def _ask(self) -> None:
        with contextlib.suppress(httpx.HTTPError):
            for family in text_string_to_metric_families(await self._rig.metrics()):
                if family.name == "reachy_mind_asyncio_tasks":
                    value = float(family.samples[0].value)
                    now = time.monotonic()
                    self._began.setdefault(f"tasks-{self._rig.mind.starts}", now)
                    self._add("tasks", "mind", ResourceSample(now, f"tasks-{self._rig.mind.starts}", value))

    def _add(self, quantity: Quantity, name: str, sample: ResourceSample) -> None:
        self.samples[quantity, name].append(sample)

    def _name(self, process: psutil.Process) -> str:
        rig = self._rig
        named = {rig.mind.pid: "mind", rig.simulator.pid: "simulator"}
        if rig.node is not None:
            named[rig.node.pid] = "control plane"
        line = process.cmdline()
        sandbox = "sandbox" if any(part.endswith("jail") for part in line) else ""
        return named.get(process.pid) or sandbox or process_name(line).split(" /")[0]

    def judged(self, quantity: Quantity, name: str, since: float) -> list[ResourceSample]:
        """The samples since a time, without those of processes that have just started."""
        return [
            sample
            for sample in self.samples[quantity, name]
            if sample.at >= max(since, self._began.get(sample.process, 0.0) + SETTLING_S)
        ]

    def table(self, since: float) -> list[tuple[Quantity, str, float, float, Slope]]:
        """Quantity, process, median of the first and of the last judged quarter, slope."""
        rows: list[tuple[Quantity, str, float, float, Slope]] = []
        for quantity, name in sorted(self.samples):
            judged = self.judged(quantity, name, since)
            values = [sample.value for sample in judged]
            quarter = max(1, len(values) // 4)
            if len(values) >= 4:
                first, last = statistics.median(values[:quarter]), statistics.median(values[-quarter:])
                rows.append((quantity, name, round(first, 1), round(last, 1), slope(judged)))
        return rows


def grown(rows: Sequence[tuple[Quantity, str, float, float, Slope]]) -> list[str]:
    """What grows, in words."""
    return [
        f"{name}: {quantity} {found.per_hour:+g} an hour"
        for quantity, name, _, _, found in rows
        if found.grows(quantity)
    ]


def _per_hour(per_second: float) -> float:
    return round(3600 * per_second, 3)


def _memory_mb(process: psutil.Process) -> float:
    with contextlib.suppress(OSError, ValueError, IndexError):
        lines = Path(f"/proc/{process.pid}/smaps_rollup").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) * 1024 / 1e6
    return float(process.memory_info().rss) / 1e6


def _files(folder: Path) -> list[Path]:
    return [file for file in folder.rglob("*") if file.is_file() and file.name != "filler"]
