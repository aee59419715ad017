"""Benchmarks: each module measures ours and a reference in the same run, so that only the ratio has to hold.

A benchmark is a module here with `SECONDS` (its default length), a docstring saying what it compares, and
`async def measure(configuration, seconds) -> Figures`. One with `BRAINS` also takes the name of one of them.
"""

from __future__ import annotations

import importlib
import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import psutil

from reachy_mind import __version__
from reachy_mind.config import Configuration
from reachy_mind.errors import InvalidParameter

NAMES = (
    "api",
    "eyes",
    "finding",
    "gate",
    "memory",
    "motion",
    "page",
    "reflex",
    "sim",
    "speech",
    "tasks",
    "thinking",
    "voice",
)


@dataclass(frozen=True)
class Figures:
    """Numbers by name, times in milliseconds (`p50_ms`), and their ratios, ours over the reference's."""

    ours: Mapping[str, float]
    reference: Mapping[str, float]
    ratio: Mapping[str, float]
    notes: Mapping[str, str] = field(default_factory=dict)
    """What numbers can't say."""


async def run(
    name: str, configuration: Configuration, seconds: float | None = None, brain: str | None = None
) -> dict[str, Any]:
    """One benchmark's figures with the machine they were taken on. Raises InvalidParameter for an unknown name, and for
    a `brain` where none is measured."""
    if name not in NAMES:
        raise InvalidParameter(f"no benchmark called {name!r}", hint=f"benchmarks: {', '.join(NAMES)}")
    module = importlib.import_module(f"reachy_mind.bench.{name}")
    load_before, stolen_before = os.getloadavg()[0], _stolen_s()
    brains: tuple[str, ...] = getattr(module, "BRAINS", ())
    if brain is not None and brain not in brains:
        hint = f"brains: {', '.join(brains)}" if brains else "leave out --brain"
        raise InvalidParameter(f"bench {name} does not measure the brain {brain!r}", hint=hint)
    options = {"brain": brain} if brain else {}
    figures: Figures = await module.measure(configuration, seconds or module.SECONDS, **options)
    return {
        "bench": name,
        "ours": dict(figures.ours),
        "reference": dict(figures.reference),
        "ratio": dict(figures.ratio),
        **({"notes": dict(figures.notes)} if figures.notes else {}),
        "machine": {
            "cores": os.cpu_count(),
            "load_before": round(load_before, 2),
            "load_after": round(os.getloadavg()[0], 2),
            "stolen_s": round(_stolen_s() - stolen_before, 2),
            "system": platform.platform(terse=True),
            "python": platform.python_version(),
            "reachy_mind": __version__,
        },
    }


def _stolen_s() -> float:
    """CPU seconds that a hypervisor has given to others: on such a machine absolute lateness says little."""
    return float(getattr(psutil.cpu_times(), "steal", 0.0))
