"""`Experience`: which observations a policy was trained on, so that it can tell when it meets others.

An observation is outside when one of its values is beyond the range that was met, when the values together are unlike
those that were met (Mahalanobis distance), or when it is no number. Compared on look_at (5 to 300 demonstrations, 8
seeds) with the nearest of 256 kept observations: that calls as few of its own scenes unknown (0 to 2 % from 10
demonstrations on), needs ten times the numbers, and with few demonstrations misses most of what is far outside.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LEAST_SPREAD = 0.1
"""Standard deviation that is added to each value: what never varied in training may still vary a little."""
FOLDS = 5
KNOWN_SHARE, MARGIN = 0.99, 1.5
"""The limit is `MARGIN` times the distance within which this share of held-back observations lies."""

RANGE_MARGIN = 0.1
"""Share of each range that is added at its ends."""
PREFIX, PARTS = "experience_", ("low", "high", "mean", "precision", "limit")

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Experience:
    """`low`, `high`, `mean` (n), `precision` (n, n): of the observations; `limit`: the largest known distance."""

    low: Values
    high: Values
    mean: Values
    precision: Values
    limit: float

    @classmethod
    def of(cls, observations: NDArray[np.floating]) -> Experience:
        """Of these observations (rows), in the order in which they were made: neighbours are held back together.
        Raises ValueError for none, or for values that are no numbers."""
        seen = np.asarray(observations, np.float64)
        if seen.ndim != 2 or not len(seen) or not np.isfinite(seen).all():
            raise ValueError("an experience needs observations in rows, all of them finite")
        folds = np.array_split(np.arange(len(seen)), min(FOLDS, len(seen)))
        held_back = [
            distances(seen[fold], *_spread(np.delete(seen, fold, axis=0) if len(folds) > 1 else seen)) for fold in folds
        ]
        limit = MARGIN * float(np.quantile(np.concatenate(held_back), KNOWN_SHARE))
        low, high = seen.min(axis=0), seen.max(axis=0)
        # Few observations did not reach the ends of what is usual.
        wider = np.maximum((high - low) * (RANGE_MARGIN + len(seen) ** -0.5), LEAST_SPREAD)
        return cls(low - wider, high + wider, *_spread(seen), max(limit, MARGIN))

    def distances(self, observations: NDArray[np.floating]) -> Values:
        """Of these observations (rows), in standard deviations; infinite for what is no number. Raises ValueError for
        observations of another size."""
        return distances(observations, self.mean, self.precision)

    def outside(self, observations: NDArray[np.floating]) -> NDArray[np.bool_]:
        """Which of these observations (rows) are unlike those of the training. Raises as `distances` does."""
        return unknown(observations, self.low, self.high, self.mean, self.precision, np.array([self.limit]))

    def arrays(self) -> dict[str, Values]:
        """As stored in the file of a policy."""
        return {PREFIX + name: np.atleast_1d(np.asarray(getattr(self, name), np.float64)) for name in PARTS}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Values]) -> Experience | None:
        """What `arrays` gave; None where there is none. Raises ValueError for what is no experience."""
        if not any(name.startswith(PREFIX) for name in arrays):
            return None
        low, high, mean, precision, limit = (np.asarray(arrays[PREFIX + name], np.float64) for name in PARTS)
        size = mean.shape
        fits = len(size) == 1 and low.shape == high.shape == size and precision.shape == size * 2
        finite = all(np.isfinite(part).all() for part in (low, high, mean, precision, limit))
        if not (fits and limit.shape == (1,) and finite and limit[0] > 0):
            raise ValueError("an experience whose sizes don't fit, or with numbers that are none")
        return cls(low, high, mean, precision, float(limit[0]))


def _spread(seen: Values) -> tuple[Values, Values]:
    centred = seen - seen.mean(axis=0)
    covariance = centred.T @ centred / len(seen) + LEAST_SPREAD**2 * np.eye(seen.shape[1])
    return seen.mean(axis=0), np.linalg.inv(covariance)


def distances(observations: NDArray[np.floating], mean: Values, precision: Values) -> Values:
    """Mahalanobis distances of observations (rows); infinite for what is no number."""
    seen = np.asarray(observations, np.float64)
    if seen.ndim != 2 or seen.shape[1] != len(mean):
        raise ValueError(f"observations of shape {seen.shape}, where rows of {len(mean)} values are known")
    with np.errstate(over="ignore", invalid="ignore"):
        centred = seen - mean
        squared: Values = np.einsum("ij,jk,ik->i", centred, precision, centred)
    # Neither what is no number nor a stored matrix that is not positive definite may make anything known.
    return np.sqrt(np.where(np.isfinite(squared) & (squared >= 0.0), squared, np.inf))


def unknown(
    observations: NDArray[np.floating], low: Values, high: Values, mean: Values, precision: Values, limit: Values
) -> NDArray[np.bool_]:
    """Which observations (rows) are beyond these ranges, or farther than `limit` from what was met."""
    far = distances(observations, mean, precision) > limit
    return np.asarray(far | ~((observations >= low) & (observations <= high)).all(axis=1))
