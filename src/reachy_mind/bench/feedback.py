"""Is feedback read right? Lines that nobody trained on, from other writers than those of the corpus.

Ours: the reader of `feedback score` (stop, explicit rating, reward model). Reference: the simplest thing that could
work, a list of good and bad words, in the same run. Counted: how often the sign is right (of rewards from 0.2 on), how
often the reward is within 0.25, stops missed and invented, milliseconds a line.
"""

from __future__ import annotations

import asyncio
import json
import re
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from reachy_mind.bench import Figures
from reachy_mind.brains.stop_words import is_listed
from reachy_mind.brains.word_lists import spaced
from reachy_mind.config.configuration import Configuration
from reachy_mind.feedback.reader import FeedbackReader
from reachy_mind.feedback.readings import FeedbackReading
from reachy_mind.learning.feedback_score import SIGNED, calibration_error, is_near

SECONDS = 20.0
FILE = Path(__file__).with_name("feedback_lines.jsonl")
_GOOD = frozenset(
    spaced(
        """
        good great nice perfect excellent awesome amazing wonderful brilliant fantastic lovely love like well best
        better right correct yes thanks thank super cool exactly parfait bien bravo merci perfecto bueno gracias gut
        toll danke
        """
    )
)
_BAD = frozenset(
    spaced(
        """
        bad wrong terrible awful horrible worst worse no not too hate stupid useless slow never fail failed missed mal
        mauvais non nul pas trop malo horrible no demasiado schlecht falsch nein zu nicht
        """
    )
)
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True)
class FeedbackCase:
    """A line with the reward that its writer gave it, and whether it is a stop."""

    text: str
    reward: float
    stop: bool


async def measure(configuration: Configuration, seconds: float) -> Figures:
    cases = feedback_cases()
    reader = await asyncio.to_thread(FeedbackReader.load, configuration.home.reward_weights_file)
    ours = await asyncio.to_thread(_measured, cases, reader.read, seconds)
    listed = await asyncio.to_thread(_measured, cases, by_word_list, seconds / 10)
    names = ("sign", "near", "p50_ms")
    ratio = {name: round(ours[name] / listed[name], 2) for name in names if listed[name]}
    wrong = [
        f"{case.reward:+.1f} read as {found:+.2f}: {case.text}"
        for case in cases
        if not is_near(found := reader.read(case.text).reward, case.reward)
    ]
    return Figures(ours, listed, ratio, failed=wrong)


def feedback_cases(file: Path = FILE) -> list[FeedbackCase]:
    """The lines of a file, `{"text", "reward", "stop"?}`. Those with it are held out: never trained on."""
    entries = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [FeedbackCase(one["text"], float(one["reward"]), bool(one.get("stop", False))) for one in entries]


def by_word_list(text: str) -> FeedbackReading:
    """The reference: the share of good words among good and bad ones; a listed phrase is a stop."""
    if is_listed(text):
        return FeedbackReading(-1.0, 1.0, stop=True, source="stop")
    words = _WORD.findall(text.lower())
    good, bad = (sum(word in known for word in words) for known in (_GOOD, _BAD))
    return FeedbackReading(0.7 * (good - bad) / (good + bad) if good + bad else 0.0, 0.5)


def _measured(
    cases: Sequence[FeedbackCase], read: Callable[[str], FeedbackReading], seconds: float
) -> dict[str, float]:
    found = [read(case.text) for case in cases]
    took: list[float] = []
    end = time.monotonic() + seconds
    while not took or time.monotonic() < end:
        for case in cases:
            began = time.perf_counter()
            read(case.text)
            took.append(time.perf_counter() - began)
            if time.monotonic() >= end:
                break
    pairs = list(zip(found, cases, strict=True))
    near = [is_near(one.reward, case.reward) for one, case in pairs]
    signs = [one.reward * case.reward > 0 for one, case in pairs if abs(case.reward) >= SIGNED - 1e-6]
    return {
        "lines": len(cases),
        "sign": round(statistics.mean(signs), 4),
        "near": round(statistics.mean(near), 4),
        "calibration_error": round(calibration_error([one.confidence for one in found], near), 4),
        "stops": sum(case.stop for case in cases),
        "stops_missed": sum(case.stop and not one.stop for one, case in pairs),
        "stops_invented": sum(one.stop and not case.stop for one, case in pairs),
        "p50_ms": round(statistics.median(took) * 1e3, 3),
        "p99_ms": round(statistics.quantiles(took, n=100)[98] * 1e3, 3) if len(took) > 1 else round(took[0] * 1e3, 3),
    }
