"""`BayesianRegression`: a linear model of what people want, learned online from few and partly wrong labels.

A label says what a value should have been in a situation: features `x`, value `y`, and how much it counts. Some labels
are wrong: people mix up left and right. So each is a mixture of a right label and an outlier, and all labels so far
decide together which is which (expectation maximization with leave-one-out predictions). The result does not depend
on the order of the labels; forgetting one is building the model again without it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

WRONG_SHARE = 0.1
"""Share of labels that are expected to be wrong."""
OUTLIER_SIGMAS = 5.0
"""Width of the values of wrong labels, in standard deviations of a right one of weight 1."""
CONTRADICTION_SIGMAS = 3.0
REPEATS = 3
"""So many labels in a row against what was said before are a change of mind."""
LARGEST = 1e3
"""Larger numbers in a label are refused: the posterior would lose its precision."""
ALIKE = 0.2
"""Situations differ by at most this share of their features."""
MAX_ITERATIONS, TOLERANCE = 30, 1e-6


@dataclass(frozen=True)
class Label:
    """What a value should have been in a situation. `weight` 1 has the standard deviation `noise` of the model."""

    x: tuple[float, ...]
    y: float
    weight: float = 1.0

    def __post_init__(self) -> None:
        if not (all(abs(each) <= LARGEST for each in (*self.x, self.y)) and 1.0 / LARGEST <= self.weight <= LARGEST):
            raise ValueError(f"a label has numbers up to {LARGEST:g} and a weight above 0: {self}")


class BayesianRegression:
    """Posterior of a linear model with Gaussian prior and noise, robust against wrong labels.

    `prior` is the precision of the coefficients (one number, or one for each feature).
    """

    def __init__(
        self,
        features: int,
        prior: float | Sequence[float] = 4.0,
        noise: float = 0.08,
        labels: Iterable[Label] = (),
        *,
        wrong: float = WRONG_SHARE,
    ) -> None:
        self._prior: Vector = np.broadcast_to(np.asarray(prior, dtype=np.float64), (features,)).copy()
        self._noise, self._wrong = noise, wrong
        self._labels: list[Label] = []
        self._fitted: _Fit | None = None
        for label in labels:
            self.update(label.x, label.y, label.weight)

    @property
    def labels(self) -> tuple[Label, ...]:
        return tuple(self._labels)

    def update(self, x: Sequence[float], y: float, weight: float = 1.0) -> None:
        """Learn one label. Raises ValueError for a number that no label has, or a wrong number of features."""
        if len(x) != len(self._prior):
            raise ValueError(f"{len(x)} features instead of {len(self._prior)}")
        self._labels.append(Label(tuple(map(float, x)), float(y), float(weight)))
        self._fitted = None

    def mean(self, x: Sequence[float]) -> float:
        """The expected value in a situation; 0 while nothing is known."""
        return float(np.dot(np.asarray(x, dtype=np.float64), self._fit.coefficients))

    def deviation(self, x: Sequence[float]) -> float:
        """The standard deviation of that expectation: large where nothing was said yet."""
        row = np.asarray(x, dtype=np.float64)
        return math.sqrt(max(float(row @ self._fit.covariance @ row), 0.0))

    def trust(self) -> list[float]:
        """How far each label is taken for right, from 0 to 1, in their order."""
        return [float(share) for share in self._fit.trust]

    def contradictions(self) -> list[int]:
        """The places of the labels that are taken for wrong, because what else is known speaks against them."""
        return [place for place, share in enumerate(self._fit.trust) if share < 0.5]

    @property
    def _fit(self) -> _Fit:
        if self._fitted is None:
            self._fitted = _fit(self._labels, self._prior, self._noise, self._wrong)
        return self._fitted


@dataclass(frozen=True)
class _Fit:
    coefficients: Vector
    covariance: Vector
    trust: Vector


def _fit(labels: Sequence[Label], prior: Vector, noise: float, wrong: float) -> _Fit:
    if not labels:
        return _Fit(np.zeros_like(prior), np.diag(1.0 / prior), np.zeros(0))
    x = np.array([label.x for label in labels])
    y = np.array([label.y for label in labels])
    precision = np.array([label.weight for label in labels]) / noise**2
    trust = np.full(len(labels), 1.0 - wrong)
    for iteration in range(MAX_ITERATIONS):
        coefficients, covariance = _posterior(x, y, precision * trust, prior)
        new = _trust(x, y, precision, trust, coefficients, covariance, noise, wrong)
        step = 1.0 if iteration < MAX_ITERATIONS // 3 else 0.5  # whole steps can oscillate between two explanations
        moved, trust = float(np.abs(new - trust).max()), trust + step * (new - trust)
        if moved < TOLERANCE:
            break
    coefficients, covariance = _posterior(x, y, precision * trust, prior)
    return _Fit(coefficients, covariance, trust)


def _posterior(x: Vector, y: Vector, precision: Vector, prior: Vector) -> tuple[Vector, Vector]:
    covariance = np.linalg.inv(np.diag(prior) + (x.T * precision) @ x).astype(np.float64)
    return covariance @ (x.T @ (precision * y)), covariance


def _trust(
    x: Vector,
    y: Vector,
    precision: Vector,
    trust: Vector,
    coefficients: Vector,
    covariance: Vector,
    noise: float,
    wrong: float,
) -> Vector:
    """The share of each label that is right, judged by all others: a label must not vouch for itself."""
    spread = np.einsum("ij,jk,ik->i", x, covariance, x)
    own = np.minimum(precision * trust * spread, 1.0 - 1e-9)
    others = (x @ coefficients - own * y) / (1.0 - own)
    variance = spread / (1.0 - own) + 1.0 / precision
    wide = variance + (OUTLIER_SIGMAS * noise) ** 2
    miss = (y - others) ** 2
    odds = math.log((1.0 - wrong) / wrong) + 0.5 * (np.log(wide / variance) + miss / wide - miss / variance)
    shares: Vector = 1.0 / (1.0 + np.exp(np.clip(-odds, -60.0, 60.0)))
    return shares


def still_valid(labels: Sequence[Label], noise: float = 0.08) -> list[Label]:
    """The labels in their order, without those of before a change of mind.

    A change of mind is `REPEATS` labels in a row for the same situation that agree with each other, and contradict what
    was said about it before. A single contradiction is taken for a mistake.
    """
    valid: list[Label] = []
    for label in labels:
        valid.append(label)
        alike = _alike(valid, label)
        earlier, run = alike[:-REPEATS], alike[-REPEATS:]
        if not earlier or not _agree(run, noise):
            continue
        if _contradict(run, float(np.median([each.y for each in earlier])), noise):
            valid = [each for each in valid if all(each is not old for old in earlier)]
    return valid


def _contradict(run: Sequence[Label], before: float, noise: float) -> bool:
    """Whether the labels together are far from what was said before, and each of them on the same side of it."""
    weights = np.array([each.weight for each in run])
    misses = np.array([each.y - before for each in run])
    mean = float(np.average(misses, weights=weights))
    sides = misses * math.copysign(1.0, mean) > noise / np.sqrt(weights)
    return bool(sides.all()) and _apart(mean, noise / math.sqrt(float(weights.sum())))


def _alike(labels: Sequence[Label], label: Label) -> list[Label]:
    """The labels for the same situation as this one."""
    x = np.array([each.x for each in labels])
    near = np.linalg.norm(x - np.asarray(label.x), axis=1) <= ALIKE * np.linalg.norm(label.x)
    return [each for each, close in zip(labels, near, strict=True) if close]


def _agree(labels: Sequence[Label], noise: float) -> bool:
    return not any(
        _apart(one.y - other.y, noise * math.hypot(one.weight**-0.5, other.weight**-0.5))
        for place, one in enumerate(labels)
        for other in labels[:place]
    )


def _apart(difference: float, sigma: float) -> bool:
    return abs(difference) > CONTRADICTION_SIGMAS * sigma
