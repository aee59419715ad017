"""`KeywordDecision`: when a keyword counts as said, by what the network and the ears make of one window after another.

The network proposes: the mean of two windows in a row. The decoder of the ears confirms. Both count, as log odds.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

PROPOSED = 0.5
"""The likelihood from which on the decoder is asked."""
READING = 0.4
"""How much a log-probability of the decoder counts."""
DOUBT = {"stop": 0.25, "quiet": 0.0, "enough": 1.0, "wait": 2.5, "hey_reachy": 0.25}
"""Log odds that are taken off: chosen on forty minutes of acted dialogue and on recordings of people who say "stop", so
that ordinary talk is seldom taken for the keyword."""
SOON_S, LATE_DOUBT = 1.8, 4.0
"""A stop word is said at the beginning of a voice. One that comes later is a word of a sentence ("if you would stop
that"): these log odds are taken off too, and what it means is read when it has been transcribed."""
SURE = 0.5
"""Sureness from which on a keyword counts, if nobody chose another."""
WAKE_WORD = "hey_reachy"
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


def sureness(name: str, mean: float, log_probability: float, voice_s: float = 0.0) -> float:
    """From 0 to 1: by the network, the decoder and the time for which the voice has spoken."""
    likely = min(max(mean, 1e-4), 1 - 1e-4)
    odds = math.log(likely / (1 - likely)) + READING * log_probability - DOUBT[name]
    if voice_s > SOON_S and name != WAKE_WORD:
        odds -= LATE_DOUBT
    return 1 / (1 + math.exp(-odds))
