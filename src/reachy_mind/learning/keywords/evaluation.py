"""`Tally`: misses and false alarms of the keyword network in labelled scenes, by threshold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reachy_mind.learning.keywords.scenes import ANY, NO, YES
from reachy_mind.speech.keyword_network import STEP_S

THRESHOLDS = (0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
SMOOTHED = 3
"""Steps whose mean is compared with the threshold; see `speech.keyword_spotter`."""
AGAIN = round(1.0 / STEP_S)
"""Steps after an alarm in which there is no other one."""


@dataclass(frozen=True)
class Tally:
    """`delay_ms`: the median, from the end of the word."""

    name: str
    threshold: float
    words: int
    missed: int
    false: int
    hours: float

    def row(self) -> list[Any]:
        missed = 100 * self.missed / max(1, self.words)
        return [self.name, self.threshold, self.words, round(missed, 1), round(self.false / self.hours, 1)]


def smoothed(likely: NDArray[np.float32]) -> NDArray[np.float32]:
    """Means over the last steps, along the last axis."""
    padded = np.concatenate([np.zeros((*likely.shape[:-1], SMOOTHED - 1), np.float32), likely], axis=-1)
    windows = np.lib.stride_tricks.sliding_window_view(padded, SMOOTHED, axis=-1)
    return np.asarray(windows.mean(axis=-1), np.float32)


def alarms(likely: NDArray[np.float32], threshold: float) -> list[int]:
    """The steps at which one keyword is taken to have been said."""
    found: list[int] = []
    for step in np.flatnonzero(likely > threshold):
        if not found or step - found[-1] >= AGAIN:
            found.append(int(step))
    return found


def tallies(likely: NDArray[np.float32], labels: NDArray[np.uint8], names: Sequence[str]) -> list[Tally]:
    """`likely` and `labels`: scenes by keywords by steps."""
    made, likely = [], smoothed(likely)
    hours = labels.shape[0] * labels.shape[2] * STEP_S / 3600
    for column, name in enumerate(names):
        for threshold in THRESHOLDS:
            words = missed = false = 0
            for scores, wanted in zip(likely[:, column], labels[:, column], strict=True):
                found = alarms(scores, threshold)
                false += sum(wanted[step] == NO for step in found)
                begins = np.flatnonzero((wanted == YES) & (np.roll(wanted, 1) != YES))
                words += len(begins)
                missed += sum(not _heard(scores, wanted, int(begin), threshold) for begin in begins)
            made.append(Tally(name, threshold, words, missed, false, hours))
    return made


def _heard(scores: NDArray[np.float32], wanted: NDArray[np.uint8], begin: int, threshold: float) -> bool:
    """Whether it was recognised before the end of the time in which it should be."""
    first, last = begin, begin
    while first > 0 and wanted[first - 1] == ANY:
        first -= 1
    while last + 1 < len(wanted) and wanted[last + 1] == YES:
        last += 1
    return bool((scores[first : last + 1] > threshold).any())
