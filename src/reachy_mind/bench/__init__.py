"""Benchmarks: each module measures ours and a reference in the same run, so that the ratio holds on any machine.

A benchmark is a module here with `SECONDS` (its default length), a docstring that says what it compares, and
`async def measure(configuration, seconds) -> Figures`. One with `BRAINS` also takes the name of one of them as `brain`,
one with `SETS` the name of one of its sets of cases as `collection`, one with `SEEDS` how many `seeds` to run, one with
`ROOM_NAMES` some of them as `rooms`, one with `TAKES_RECORDINGS` a folder of `recordings`.
"""

from __future__ import annotations

import importlib
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import psutil

from reachy_mind import __version__
from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import InvalidParameter

NAMES = (
    "api",
    "corrections",
    "developer",
    "device",
    "endurance",
    "env",
    "eyes",
    "feedback",
    "feedback_latency",
    "finding",
    "fleet",
    "fleet_faults",
    "gate",
    "hearing",
    "keywords",
    "memory",
    "microphones",
    "motion",
    "page",
    "pauses",
    "reflex",
    "sandbox",
    "sim",
    "speech",
    "stop",
    "sync",
    "talk",
    "tasks",
    "thinking",
    "voice",
    "voice_sessions",
    "workshop",
)


@dataclass(frozen=True)
class Figures:
    """Figures by name, times in milliseconds (`p50_ms`), and their ratios, ours to the reference."""

    ours: Mapping[str, float]
    reference: Mapping[str, float]
    ratio: Mapping[str, float]
    notes: Mapping[str, str] = field(default_factory=dict)
    """Remarks in words."""
    failed: Sequence[str] = ()
    """The cases that went wrong, each in a line, for a developer to read."""


async def run(
    name: str,
    configuration: Configuration,
    seconds: float | None = None,
    brain: str | None = None,
    collection: str | None = None,
    seeds: int | None = None,
    rooms: str | None = None,
    recordings: Path | None = None,
    seed: int | None = None,
    report: Path | None = None,
) -> dict[str, Any]:
    """Run one benchmark; returns its figures and the machine. Raises InvalidParameter for an unknown name, and for a
    `brain` that it does not measure, a `collection` of cases or `rooms` (names with commas) that it does not have,
    `seeds` or a `seed` where it has none, `recordings` that it does not hear, or a `report` that it does not write."""
    if name not in NAMES:
        raise InvalidParameter(f"no benchmark called {name!r}", hint=f"benchmarks: {', '.join(NAMES)}")
    module = importlib.import_module(f"reachy_mind.bench.{name}")
    load_before, stolen_before = psutil.getloadavg()[0], _stolen_s()
    options: dict[str, Any] = _options(name, module, brain, collection, seeds, recordings) | _rooms(name, module, rooms)
    options |= _run_options(name, module, seed, report)
    figures: Figures = await module.measure(configuration, seconds or module.SECONDS, **options)
    return {
        "bench": name,
        "ours": dict(figures.ours),
        "reference": dict(figures.reference),
        "ratio": dict(figures.ratio),
        **({"notes": dict(figures.notes)} if figures.notes else {}),
        **({"failed": list(figures.failed)} if figures.failed else {}),
        "machine": {
            "cores": os.cpu_count(),
            "load_before": round(load_before, 2),
            "load_after": round(psutil.getloadavg()[0], 2),
            "stolen_s": round(_stolen_s() - stolen_before, 2),
            "system": platform.platform(terse=True),
            "python": platform.python_version(),
            "reachy_mind": __version__,
        },
    }


def _options(
    name: str,
    module: ModuleType,
    brain: str | None,
    collection: str | None,
    seeds: int | None,
    recordings: Path | None,
) -> dict[str, str | int | Path]:
    brains: tuple[str, ...] = getattr(module, "BRAINS", ())
    if brain is not None and brain not in brains:
        hint = f"brains: {', '.join(brains)}" if brains else "leave out --brain"
        raise InvalidParameter(f"bench {name} does not measure the brain {brain!r}", hint=hint)
    sets: tuple[str, ...] = getattr(module, "SETS", ())
    if collection is not None and collection not in sets:
        hint = f"sets: {', '.join(sets)}" if sets else "leave out --set"
        raise InvalidParameter(f"bench {name} has no set {collection!r}", hint=hint)
    if seeds is not None and not hasattr(module, "SEEDS"):
        raise InvalidParameter(f"bench {name} has no seeds", hint="leave out --seeds")
    if recordings is not None and not hasattr(module, "TAKES_RECORDINGS"):
        raise InvalidParameter(f"bench {name} hears no recordings", hint="leave out --recordings")
    given = {"brain": brain, "collection": collection, "seeds": seeds, "recordings": recordings}
    return {option: value for option, value in given.items() if value}


def _run_options(name: str, module: ModuleType, seed: int | None, report: Path | None) -> dict[str, int | Path]:
    if seed is not None and not hasattr(module, "USES_SEED"):
        raise InvalidParameter(f"bench {name} has no seed", hint="leave out --seed")
    if report is not None and not hasattr(module, "WRITES_REPORT"):
        raise InvalidParameter(f"bench {name} writes no report", hint="leave out --report")
    given: dict[str, int | Path | None] = {"seed": seed, "report": report}
    return {option: value for option, value in given.items() if value is not None}


def _rooms(name: str, module: ModuleType, wanted: str | None) -> dict[str, tuple[str, ...]]:
    if wanted is None:
        return {}
    there: tuple[str, ...] = getattr(module, "ROOM_NAMES", ())
    rooms = tuple(filter(None, map(str.strip, wanted.split(","))))
    if unknown := [room for room in rooms if room not in there] or ([] if rooms else [wanted]):
        hint = f"rooms: {', '.join(there)}" if there else "leave out --rooms"
        raise InvalidParameter(f"bench {name} has no room {unknown[0]!r}", hint=hint)
    return {"rooms": rooms}


def _stolen_s() -> float:
    """CPU seconds stolen by the hypervisor: with many of them absolute latencies mean little."""
    return float(getattr(psutil.cpu_times(), "steal", 0.0))
