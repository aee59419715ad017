"""Statistics of few runs, compared with what rliable 1.2.0 gives for the same scores (50,000 and 20,000 resamples)."""

from __future__ import annotations

import numpy as np
import pytest

from reachy_mind.learning.evaluation.statistics import (
    estimate,
    improvement,
    interquartile_mean,
    probability_of_improvement,
)

OURS = np.array(
    [
        *([0.852, 0.788, 0.728], [0.83, 0.949, 0.713], [0.618, 0.691, 0.872], [0.872, 0.816, 0.694]),
        *([0.964, 0.776, 0.912], [0.921, 0.663, 0.967], [0.731, 0.597, 0.819], [0.811, 0.782, 0.812]),
        *([0.98, 0.453, 0.718], [0.745, 0.921, 0.741]),
    ]
)
THEIRS = np.array(
    [
        *([0.863, 0.561, 0.61], [0.264, 0.749, 0.696], [0.499, 0.684, 0.68], [0.646, 0.854, 0.458]),
        *([0.581, 0.794, 0.583], [0.624, 0.545, 0.439], [0.512, 0.537, 0.609], [0.92, 0.395, 0.343]),
        *([0.844, 0.445, 0.764], [0.655, 0.848, 0.828]),
    ]
)
BOOTSTRAP_ERROR = 0.008


@pytest.mark.parametrize(
    ("scores", "rliable"),
    [
        (OURS, (0.7933125, 0.7520625, 0.843125)),
        (THEIRS, (0.62725, 0.5590609, 0.7021875)),
        (OURS[:, 0], (0.8385, 0.76, 0.913)),
    ],
)
def test_the_interquartile_mean_and_its_interval_are_those_of_rliable(scores, rliable):
    found = estimate(scores)
    assert found.value == pytest.approx(rliable[0], abs=1e-9)
    assert (found.low, found.high) == pytest.approx(rliable[1:], abs=BOOTSTRAP_ERROR)
    assert found.runs == 10


def test_the_probability_of_improvement_and_its_interval_are_those_of_rliable():
    found = improvement(OURS, THEIRS)
    assert found.value == pytest.approx(0.7766667, abs=1e-6)
    assert (found.low, found.high) == pytest.approx((0.65, 0.89), abs=2 * BOOTSTRAP_ERROR)


def test_one_run_that_went_wrong_does_not_move_the_interquartile_mean():
    good = [0.97, 0.98, 0.99, 1.0] * 3
    assert interquartile_mean(np.array([*good[:-1], 0.0])) == pytest.approx(0.985, abs=0.01)


def test_equal_scores_improve_on_nothing():
    assert probability_of_improvement([1.0, 1.0], [1.0, 1.0]) == 0.5
    assert probability_of_improvement([1.0, 1.0], [0.5, 0.9]) == 1.0


def test_more_runs_make_the_interval_narrower():
    rng = np.random.default_rng(1)
    few, many = (estimate(rng.normal(0.5, 0.1, runs)) for runs in (5, 80))
    assert many.high - many.low < 0.5 * (few.high - few.low)


@pytest.mark.parametrize("scores", [[], [0.5, float("nan")]])
def test_no_scores_have_no_estimate(scores):
    with pytest.raises(ValueError, match="numbers"):
        estimate(scores)


def test_other_tasks_are_not_compared():
    with pytest.raises(ValueError, match="3 tasks against 2"):
        probability_of_improvement(OURS, THEIRS[:, :2])
