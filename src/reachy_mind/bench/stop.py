"""Is a stop recognised, however it is said? Phrases nobody trained on, and sentences that must not stop the robot.

Ours: `is_stop`, the list of phrases and the classifier. Reference: the list alone, in the same run. Counted: stops
found and missed, other sentences taken for a stop, microseconds for a text.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from reachy_mind.bench import Figures
from reachy_mind.brains.stop_words import LONGEST_TEXT, is_listed, is_stop
from reachy_mind.config.configuration import Configuration

SECONDS = 5.0
FILES = tuple(Path(__file__).with_name(name) for name in ("stops.txt", "stops_blind.txt"))


@dataclass(frozen=True)
class HeldOutLine:
    """A line of `stops.txt` or `stops_blind.txt`: `stop` or `other`, the language, the text."""

    text: str
    language: str
    stop: bool


async def measure(configuration: Configuration, seconds: float) -> Figures:  # noqa: ARG001
    said = held_out()
    is_stop("stop")  # the weights are read once
    ours = _measured(said, is_stop, seconds / 2)
    listed = _measured(said, lambda text: len(text) <= LONGEST_TEXT and is_listed(text), seconds / 2)
    ratio = {name: round(ours[name] / listed[name], 2) for name in ("found", "p50_us") if listed[name]}
    wrong = {name: " | ".join(e.text for e in said if e.stop == stop and is_stop(e.text) != stop)
             for name, stop in (("missed", True), ("false", False))}  # fmt: skip
    return Figures(ours, listed, ratio, {name: texts for name, texts in wrong.items() if texts})


def held_out(*files: Path) -> list[HeldOutLine]:
    """Sentences that were written without sight of the training sentences, and are never trained on."""
    texts = [file.read_text(encoding="utf-8") for file in files or FILES]
    rows = [line.split("\t") for text in texts for line in text.splitlines() if line and line[0] != "#"]
    return [HeldOutLine(text, language, kind == "stop") for kind, language, text in rows]


def _measured(said: Sequence[HeldOutLine], recognise: Callable[[str], bool], seconds: float) -> dict[str, float]:
    taken = [recognise(each.text) for each in said]
    took: list[float] = []
    end = time.monotonic() + seconds
    while not took or time.monotonic() < end:
        for each in said:
            began = time.perf_counter()
            recognise(each.text)
            took.append(time.perf_counter() - began)
    stops = sum(each.stop for each in said)
    found = sum(each.stop and was for each, was in zip(said, taken, strict=True))
    return {
        "stops": stops,
        "others": len(said) - stops,
        "found": found,
        "missed": stops - found,
        "false": sum(was and not each.stop for each, was in zip(said, taken, strict=True)),
        "p50_us": round(statistics.median(took) * 1e6, 1),
        "p99_us": round(statistics.quantiles(took, n=100)[98] * 1e6, 1),
    }
