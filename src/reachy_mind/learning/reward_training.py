"""The two ways to train the reward model: all of it anew, or with lines of one's own on top of what is there."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reachy_mind.feedback.reward import RewardModel
from reachy_mind.learning.feedback_examples import FeedbackLine
from reachy_mind.learning.feedback_score import score
from reachy_mind.learning.reward import RewardRecipe, Told, train, with_meta

OWN_SHARE, MOST_TIMES = 0.3, 20
"""Of what is learned, how much are lines of one's own; few of them are learned that often in a round."""
REPEATED, KEPT_BACK = 1500, 500
"""Shipped lines that are learned again, so that they are not forgotten, and others that tell whether they were."""
OWN_HELD_OUT, CORPUS_HELD_OUT = 0.2, 0.15
FROM_SCRATCH = RewardRecipe(epochs=10, batch=64, members=6)
ON_TOP = RewardRecipe(epochs=3, rate=6e-5, head_rate=3e-4)


@dataclass(frozen=True)
class Retrained:
    """Arrays to save, and figures: of held-out lines of one's own and of shipped ones, before and after."""

    arrays: dict[str, Any]
    own_before: dict[str, Any]
    own_after: dict[str, Any]
    shipped_before: dict[str, Any]
    shipped_after: dict[str, Any]


def retrained(
    own: Sequence[FeedbackLine],
    corpus: Sequence[FeedbackLine],
    start: dict[str, NDArray[Any]],
    recipe: RewardRecipe = ON_TOP,
    told: Told = print,
) -> Retrained:
    """Learn lines of one's own. A fifth of their families is kept back for the figures."""
    rng = random.Random(recipe.seed)  # noqa: S311 -- the same lines every time
    shuffled = rng.sample(list(corpus), min(len(corpus), REPEATED + KEPT_BACK))
    apart = min(KEPT_BACK, len(shuffled) // 4)
    kept_back, repeated = shuffled[:apart], shuffled[apart:]
    own_kept_back = [line for line in own if line.is_held_out(OWN_HELD_OUT)]
    own_learned = [line for line in own if not line.is_held_out(OWN_HELD_OUT)]
    times = int(min(MOST_TIMES, max(1, OWN_SHARE * len(repeated) // max(1, len(own_learned)))))
    before = RewardModel(start)
    arrays = train([*own_learned * times, *repeated], start, recipe, told)
    kept = {name: before.meta[name] for name in ("temperature", "held_out") if name in before.meta}
    arrays = with_meta(arrays, kept | {"own": len(own_learned)})
    after = RewardModel(arrays)
    return Retrained(
        arrays,
        score(before, own_kept_back),
        score(after, own_kept_back),
        score(before, kept_back),
        score(after, kept_back),
    )


def from_scratch(
    lines: Sequence[FeedbackLine],
    start: dict[str, NDArray[Any]],
    recipe: RewardRecipe = FROM_SCRATCH,
    told: Told = print,
) -> dict[str, Any]:
    """Learn everything. A first model without some families gives the figures and the temperature; then all are
    learned."""
    measured = train(lines, start, replace(recipe, held_out=CORPUS_HELD_OUT), told)
    meta = json.loads(bytes(measured["meta"]).decode())
    arrays = train(lines, start, recipe, told)
    return with_meta(arrays, {name: meta[name] for name in ("temperature", "held_out")})


def saved(file_arrays: Any) -> dict[str, NDArray[Any]]:
    """The arrays of an open weights file."""
    return {name: np.asarray(file_arrays[name]) for name in file_arrays.files}
