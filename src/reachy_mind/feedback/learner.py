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
OUTLIER_SIGMAS = 8.0
"""Width of the values of wrong labels, in standard deviations of a right one of weight 1."""
CONTRADICTION_SIGMAS = 3.0
REPEATS = 3
"""So many labels in a row against what was learned before are a change of mind."""
MAX_ITERATIONS, TOLERANCE = 30, 1e-6


@dataclass(frozen=True)
class Label:
    """What a value should have been in a situation. `weight` 1 has the standard deviation `noise` of the model."""

    x: tuple[float, ...]
    y: float
    weight: float = 1.0

    def __post_init__(self) -> None:
        if not (all(map(math.isfinite, self.x)) and math.isfinite(self.y) and 0.0 < self.weight < math.inf):
            raise ValueError(f"a label has finite numbers and a positive weight: {self}")


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
        """Learn one label. Raises ValueError for a number that is not finite or a wrong number of features."""
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
    covariance: Vector = np.linalg.inv(np.diag(prior) + (x.T * precision) @ x)
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


def since_change_of_mind(
    labels: Sequence[Label], features: int, prior: float | Sequence[float] = 4.0, noise: float = 0.08
) -> int:
    """The place of the first label that still holds, in the order in which they came; 0 without a change of mind.

    A change of mind is `REPEATS` labels in a row that agree with each other and all contradict what was learned
    before them. A single contradiction is taken for a mistake.
    """
    precisions = np.broadcast_to(np.asarray(prior, dtype=np.float64), (features,))
    known, first, against = _Known(precisions, noise), 0, 0
    for place, label in enumerate(labels):
        if not known.contradicts(label):
            known.add(label)
            against = 0
            continue
        against += 1
        run = labels[place + 1 - against : place + 1]
        if against >= REPEATS and _agree(run[-REPEATS:], precisions, noise):
            first, against = place + 1 - REPEATS, 0
            known = _Known(precisions, noise, run[-REPEATS:])
    return first


class _Known:
    """A plain posterior, a label at a time."""

    def __init__(self, prior: Vector, noise: float, labels: Sequence[Label] = ()) -> None:
        self._covariance, self._coefficients, self._noise = np.diag(1.0 / prior), np.zeros(len(prior)), noise
        for label in labels:
            self.add(label)

    def add(self, label: Label) -> None:
        gain = self._covariance @ label.x
        variance = float(np.dot(label.x, gain)) + self._noise**2 / label.weight
        self._coefficients = self._coefficients + gain * ((label.y - float(self._coefficients @ label.x)) / variance)
        self._covariance = self._covariance - np.outer(gain, gain) / variance

    def contradicts(self, label: Label) -> bool:
        variance = float(np.dot(label.x, self._covariance @ label.x)) + self._noise**2 / label.weight
        miss = label.y - float(self._coefficients @ label.x)
        return miss * miss > CONTRADICTION_SIGMAS**2 * variance


def _agree(labels: Sequence[Label], prior: Vector, noise: float) -> bool:
    """Whether no label contradicts the others."""
    return not any(
        _Known(prior, noise, [other for other in labels if other is not label]).contradicts(label) for label in labels
    )
