"""`KeywordDecision`: when a keyword counts as said, by what the network and the ears make of one window after another.

The network proposes: the mean of two windows in a row. The decoder of the ears confirms. Both count, as log odds.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

PROPOSED = 0.5
"""The likelihood from which on the decoder is asked."""
READING = 0.5
"""How much a log-probability of the decoder counts."""
DOUBT = {"stop": 0.5, "quiet": 0.5, "enough": 1.0, "wait": 3.0, "hey_reachy": -1.5}
"""Log odds that are taken off: chosen on a quarter of an hour of acted dialogue and on voices that were not trained
on, so that ordinary talk is seldom taken for the keyword."""
SURE = 0.5
"""Sureness from which on a keyword counts, if nobody chose another."""
AGAIN_S = 1.5
"""A keyword that is recognised sooner after the last one is still the same."""


class KeywordDecision:
    """For one stream of windows. `thresholds`: of the sureness, by keyword, where another than `SURE` is wanted."""

    def __init__(self, thresholds: Mapping[str, float] | None = None) -> None:
        self._thresholds = thresholds or {}
        self._before: Mapping[str, float] = {}
        self._last: dict[str, float] = {}

    def forget(self) -> None:
        """The next window does not follow the last one."""
        self._before = {}

    def proposed(self, likely: Mapping[str, float], wanted: Iterable[str]) -> dict[str, float]:
        """The keywords that may just have been said, with their mean likelihood."""
        before, self._before = self._before, likely
        means = {name: (likely[name] + before.get(name, 0.0)) / 2 for name in wanted}
        return {name: mean for name, mean in means.items() if mean > PROPOSED}

    def accepted(self, name: str, sure: float, at: float) -> bool:
        """Whether a keyword counts as said at this time, and was not a moment ago."""
        if sure < self._thresholds.get(name, SURE) or at < self._last.get(name, -math.inf) + AGAIN_S:
            return False
        self._last[name] = at
        return True


def sureness(name: str, mean: float, log_probability: float) -> float:
    """From 0 to 1: by the network and the decoder."""
    likely = min(max(mean, 1e-4), 1 - 1e-4)
    odds = math.log(likely / (1 - likely)) + READING * log_probability - DOUBT[name]
    return 1 / (1 + math.exp(-odds))
