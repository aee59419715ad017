"""`PersonalScale`: what one person's words are worth. "Not bad" is high praise from some people.

It learns from pairs: the reward that was read from somebody's words, and the rating that they gave to the same action.
The map is a straight line, found by Bayesian regression. Without pairs it changes nothing, and a few move it little.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

SLOPE_DEVIATION, SHIFT_DEVIATION, NOISE = 0.3, 0.25, 0.3
"""How far people's scales are from the common one, and how far a rating is from what the words say."""
LEAST_SLOPE, MOST_SLOPE = 0.2, 3.0
"""A better word stays a better word, whatever somebody clicks."""
MOST_PAIRS = 200
"""The latest ones count: people change."""


@dataclass(frozen=True)
class PersonalScale:
    """A person's line: `slope` and `shift`, learned from `pairs` pairs."""

    slope: float = 1.0
    shift: float = 0.0
    pairs: int = 0

    @classmethod
    def of(cls, pairs: Sequence[tuple[float, float]]) -> PersonalScale:
        """From pairs of a reward that was read and the rating that was given, the oldest first."""
        used = [pair for pair in pairs if np.isfinite(pair).all()][-MOST_PAIRS:]
        if not used:
            return cls()
        read, rated = np.clip(np.array(used, float).T, -1.0, 1.0)
        x = np.stack([read, np.ones_like(read)])
        prior = np.diag([SLOPE_DEVIATION**-2, SHIFT_DEVIATION**-2])
        precision = prior + x @ x.T / NOISE**2
        slope, shift = np.linalg.solve(precision, prior @ [1.0, 0.0] + x @ rated / NOISE**2)
        return cls(float(np.clip(slope, LEAST_SLOPE, MOST_SLOPE)), float(np.clip(shift, -1, 1)), len(used))

    def adjusted(self, reward: float) -> float:
        """What a reward that was read means from this person, from -1 to 1. A stop stays a stop."""
        if reward <= -1.0:
            return -1.0
        return max(-1.0, min(1.0, self.slope * reward + self.shift))
