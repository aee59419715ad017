"""Training the stop classifier: sentences, variations of them, logistic regression, threshold, one byte a weight.

    reachy-mind learn stop                   a minute or two; numpy is all it needs

`stop_examples` has the sentences. The threshold is chosen on sentences that the weights it is applied
to were not trained on.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reachy_mind.brains.stop_classifier import BITS, features, packed, words_of
from reachy_mind.learning.stop_examples import COUNTED, HARD, Example, examples, key_of, varied

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class StopRecipe:
    """How to train."""

    epochs: int = 8
    batch: int = 4096
    """Rows of a step."""
    rate: float = 0.02
    decay: float = 3e-7
    folds: int = 4
    variations: int = 8
    per_pattern: int = 40
    most_false: float = 0.008
    """Of the negative sentences, at the threshold."""
    most_hard_false: float = 0.05
    """Of those in `other.txt`, which were written to be mistaken for a stop."""
    seed: int = 0


@dataclass(frozen=True)
class Trained:
    """The file's content, and how good the classifier is on sentences it was not trained on."""

    content: bytes
    threshold: float
    found: float
    false: float
    hard_false: float


@dataclass(frozen=True)
class Matrix:
    """Rows of features: `columns` of all rows one after the other, `rows` the row of each, `values` its weight."""

    rows: NDArray[np.int32]
    columns: NDArray[np.int32]
    values: Floats
    count: int

    @classmethod
    def of(cls, texts: Iterable[str]) -> Matrix:
        rows, columns, values = [], [], []
        count = 0
        for text in texts:
            words = words_of(text)
            found = features(words) if words else []
            columns.append(np.array(found, np.int32))
            rows.append(np.full(len(found), count, np.int32))
            values.append(np.full(len(found), max(1, len(words)) ** -0.5, np.float32))
            count += 1
        return cls(np.concatenate(rows), np.concatenate(columns), np.concatenate(values), count)

    def scores(self, weights: Floats) -> Floats:
        return np.bincount(self.rows, weights[self.columns] * self.values, self.count).astype(np.float32)

    def gradient(self, errors: Floats) -> Floats:
        return np.bincount(self.columns, errors[self.rows] * self.values, 1 << BITS).astype(np.float32)

    def batches(self, size: int) -> list[tuple[int, Matrix]]:
        """Runs of rows, each with the number of its first one."""
        firsts = np.arange(0, self.count, size)
        ends = np.append(np.searchsorted(self.rows, firsts[1:]), len(self.rows))
        begins = np.append(0, ends[:-1])
        return [
            (
                int(first),
                Matrix(
                    self.rows[begin:end] - np.int32(first),
                    self.columns[begin:end],
                    self.values[begin:end],
                    min(size, self.count - int(first)),
                ),
            )
            for first, begin, end in zip(firsts, begins, ends, strict=True)
        ]

    def part(self, chosen: NDArray[np.bool_]) -> Matrix:
        kept = chosen[self.rows]
        renumbered = np.cumsum(chosen, dtype=np.int32) - 1
        return Matrix(renumbered[self.rows[kept]], self.columns[kept], self.values[kept], int(chosen.sum()))


def fitted(matrix: Matrix, stops: Floats, importance: Floats, recipe: StopRecipe) -> tuple[Floats, float]:
    """Weights and bias of a logistic regression, by Adam on batches of rows, which come in random order."""
    learned = np.zeros((1 << BITS) + 1, np.float32)
    mean, square = np.zeros_like(learned), np.zeros_like(learned)
    batches = matrix.batches(recipe.batch)
    rng = np.random.default_rng(recipe.seed)
    scale = len(batches) / importance.sum()
    steps = recipe.epochs * len(batches)
    order = np.concatenate([rng.permutation(len(batches)) for _ in range(recipe.epochs)])
    for step, number in enumerate(order, start=1):
        first, batch = batches[number]
        of_batch = slice(first, first + batch.count)
        scores = batch.scores(learned[:-1]) + learned[-1]
        errors = (1 / (1 + np.exp(-np.clip(scores, -30, 30))) - stops[of_batch]) * importance[of_batch] * scale
        gradient = np.append(batch.gradient(errors) + recipe.decay * learned[:-1], errors.sum()).astype(np.float32)
        mean += 0.1 * (gradient - mean)
        square += 0.01 * (gradient**2 - square)
        rate = recipe.rate * (1 - step / (steps + 1))
        learned -= rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
    return learned[:-1], float(learned[-1])


def quantised(weights: Floats) -> tuple[NDArray[np.int8], float]:
    """Weights as signed bytes, and their unit; the few largest are cut."""
    unit = float(np.quantile(np.abs(weights[weights != 0]), 0.9998)) / 127 or 1.0
    return np.clip(np.round(weights / unit), -127, 127).astype(np.int8), unit


def _silent(_line: str) -> None:
    pass


def held_out_scores(
    matrix: Matrix, data: Sequence[Example], recipe: StopRecipe, told: Callable[[str], None] = _silent
) -> Floats:
    """The score of each example by weights trained without it and its variations."""
    stops, importance = _targets(data)
    fold = np.array([zlib.crc32(e.source.encode()) % recipe.folds for e in data])
    out = np.zeros(len(data), np.float32)
    for number in range(recipe.folds):
        inside = fold != number
        weights, bias = fitted(matrix.part(inside), stops[inside], importance[inside], recipe)
        table, unit = quantised(weights)
        out[~inside] = matrix.part(~inside).scores(table.astype(np.float32)) * np.float32(unit) + np.float32(bias)
        told(f"fold {number + 1} of {recipe.folds}")
    return out


def _targets(data: Sequence[Example]) -> tuple[Floats, Floats]:
    return np.array([e.stop for e in data], np.float32), np.array([e.weight for e in data], np.float32)


def threshold(scores: Floats, data: Sequence[Example], recipe: StopRecipe) -> float:
    """The lowest at which few enough of the sentences that are no stop score above it, of all and of the hard ones."""
    lowest = -np.inf
    for least, most_false in ((COUNTED, recipe.most_false), (HARD, recipe.most_hard_false)):
        others = np.sort(
            [s for s, e in zip(scores, data, strict=True) if not e.stop and e.original and e.weight >= least]
        )
        lowest = max(lowest, float(others[len(others) - 1 - int(len(others) * most_false)]))
    return lowest + 1e-3


def train(recipe: StopRecipe, held_out: Iterable[str] = (), told: Callable[[str], None] = _silent) -> Trained:
    """Train on all sentences but those held out; the threshold comes from folds of them."""
    data = _examples(recipe, {key_of(text) for text in held_out})
    matrix = Matrix.of(e.text for e in data)
    told(f"{len(data)} sentences with their variations")
    scores = held_out_scores(matrix, data, recipe, told)
    cut = threshold(scores, data, recipe)
    weights, bias = fitted(matrix, *_targets(data), recipe)
    table, unit = quantised(weights)
    passed = [
        (e, bool(score > cut)) for score, e in zip(scores, data, strict=True) if e.original and e.weight >= COUNTED
    ]
    found = [above for e, above in passed if e.stop]
    false = [above for e, above in passed if not e.stop]
    hard = [above for e, above in passed if not e.stop and e.weight >= HARD]
    content = packed(table.tobytes(), unit, bias - cut)
    return Trained(content, cut, _share(found), _share(false), _share(hard))


def _examples(recipe: StopRecipe, kept_back: set[str]) -> list[Example]:
    """In random order, without those kept back and variations of them."""
    sources = [e for e in examples() if key_of(e.text) not in kept_back]
    made = varied(sources, variations=recipe.variations, per_pattern=recipe.per_pattern, seed=recipe.seed)
    data = [e for e in made if key_of(e.text) not in kept_back]
    random.Random(recipe.seed).shuffle(data)  # noqa: S311 -- the same order every time
    return data


def _share(passed: Sequence[bool]) -> float:
    return sum(passed) / max(1, len(passed))
