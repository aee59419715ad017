"""Statistics of few runs (Agarwal et al. 2021): interquartile mean, stratified bootstrap, probability of improvement.

    estimate(scores)                              # Estimate(value=0.99, low=0.97, high=1.0) of runs of one algorithm
    probability_of_improvement(ours, theirs)      # that a run of ours is better than one of theirs

Scores are (runs,) or (runs, tasks). They are the formulas of the package rliable 1.2, which wants pandas, statsmodels,
seaborn and arch for them; the tests have its results on the same scores.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 2000
CONFIDENCE = 0.95
TRIMMED = 0.25
"""Share of the scores that is left out at either end of the interquartile mean."""

Scores = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A figure of several runs, and its 95 % confidence interval."""

    value: float
    low: float
    high: float
    runs: int

    def as_dict(self) -> dict[str, float]:
        return {"value": self.value, "low": self.low, "high": self.high, "runs": self.runs}


def interquartile_mean(scores: Scores) -> float:
    """The mean of the middle half of all scores. Unlike the median it uses half of them, unlike the mean it does not
    follow a single run that went wrong: look at the least one too."""
    ordered = np.sort(np.ravel(scores))
    cut = int(TRIMMED * len(ordered))
    return float(ordered[cut : len(ordered) - cut].mean())


def estimate(
    scores: Sequence[float] | Scores,
    of: Callable[[Scores], float] = interquartile_mean,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """The figure of these runs, with the percentile interval of a bootstrap that draws runs anew within each task.
    Raises ValueError without runs, or for scores that are no numbers."""
    table = _table(scores)
    rng = np.random.default_rng(seed)
    drawn = [of(_resampled(table, rng)) for _ in range(resamples)]
    return _estimate(of(table), drawn, len(table))


def probability_of_improvement(ours: Sequence[float] | Scores, theirs: Sequence[float] | Scores) -> float:
    """How likely a run of ours has a higher score than one of theirs, the mean over tasks; equal scores count half."""
    mine, other = _table(ours), _table(theirs)
    if mine.shape[1] != other.shape[1]:
        raise ValueError(f"{mine.shape[1]} tasks against {other.shape[1]}")
    higher = (mine[:, None] > other[None]).mean() + 0.5 * (mine[:, None] == other[None]).mean()
    return float(higher)


def improvement(
    ours: Sequence[float] | Scores, theirs: Sequence[float] | Scores, *, resamples: int = RESAMPLES, seed: int = 0
) -> Estimate:
    """`probability_of_improvement` with its interval; both sides are drawn anew, apart from one another."""
    mine, other = _table(ours), _table(theirs)
    rng = np.random.default_rng(seed)
    drawn = [probability_of_improvement(_resampled(mine, rng), _resampled(other, rng)) for _ in range(resamples)]
    return _estimate(probability_of_improvement(mine, other), drawn, min(len(mine), len(other)))


def _table(scores: Sequence[float] | Scores) -> Scores:
    table = np.asarray(scores, np.float64)
    table = table[:, None] if table.ndim == 1 else table
    if table.ndim != 2 or not table.size or not np.isfinite(table).all():
        raise ValueError("scores are numbers, a row for each run and a column for each task")
    return table


def _resampled(table: Scores, rng: np.random.Generator) -> Scores:
    rows = rng.integers(len(table), size=table.shape)
    return np.take_along_axis(table, rows, axis=0)


def _estimate(value: float, drawn: Sequence[float], runs: int) -> Estimate:
    tail = (1.0 - CONFIDENCE) / 2
    low, high = np.quantile(drawn, (tail, 1.0 - tail))
    return Estimate(value, float(low), float(high), runs)
