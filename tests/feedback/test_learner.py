"""The learner finds what people want from few labels, some of them wrong, and says which it does not believe."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reachy_mind.feedback.learner import BayesianRegression, Label, still_valid

ONE = (1.0,)
NUMBERS = st.floats(-2, 2, allow_subnormal=False)
WEIGHTS = st.floats(0.05, 20)
LABELS = st.lists(st.builds(Label, st.tuples(st.just(1.0), NUMBERS, NUMBERS), NUMBERS, WEIGHTS), max_size=25)
PLACE = st.tuples(st.just(1.0), NUMBERS, NUMBERS)


def world(wrong: int) -> tuple[list[Label], np.ndarray]:
    """Forty labels of a line in three features; every `wrong`-th is far too high."""
    rng = np.random.default_rng(5)
    truth = np.array([0.12, -0.2, 0.1])
    labels = []
    for place in range(40):
        x = (1.0, *(float(value) for value in rng.uniform(-0.8, 0.8, 2)))
        y = float(np.dot(x, truth)) + rng.normal() * 0.03
        labels.append(Label(x, y + 0.5 if wrong and place % wrong == 2 else y, 4.0))
    return labels, truth


def test_nothing_is_known_before_the_first_label() -> None:
    model = BayesianRegression(2, prior=4.0)
    assert model.mean((1.0, 3.0)) == 0.0 and model.deviation((1.0, 0.0)) == pytest.approx(0.5)


def test_one_label_is_enough_to_get_better_there_and_less_sure_elsewhere() -> None:
    model = BayesianRegression(2)
    model.update((1.0, 0.0), 0.2, 2.0)
    assert model.mean((1.0, 0.0)) == pytest.approx(0.2, rel=0.1)
    assert model.deviation((1.0, 0.0)) < model.deviation((1.0, 1.0))


def test_wrong_labels_are_named_and_do_no_harm() -> None:
    labels, truth = world(wrong=10)
    model = BayesianRegression(3, labels=labels)
    assert model.contradictions() == [2, 12, 22, 32]
    for place in ((1.0, 0.0, 0.0), (1.0, 0.7, -0.7), (1.0, -0.7, 0.7)):
        assert model.mean(place) == pytest.approx(float(np.dot(place, truth)), abs=0.04)
    trusting = BayesianRegression(3, labels=labels, wrong=1e-300)
    places = [label.x for label in labels]
    robust, plain = (sum(abs(m.mean(x) - float(truth @ x)) for x in places) for m in (model, trusting))
    assert robust < 0.7 * plain


def test_a_single_contradiction_counts_little_and_a_repeated_one_is_a_change_of_mind() -> None:
    known = [Label(ONE, -8.0 + 0.3 * (place % 3), 1.0) for place in range(8)]
    against = [Label(ONE, -20.0 + 0.3 * place, 1.0) for place in range(3)]
    once = BayesianRegression(1, 0.01, 1.5, [*known, against[0]])
    assert once.mean(ONE) == pytest.approx(-7.7, abs=0.3) and once.contradictions() == [8]
    assert still_valid([*known, *against[:2]], 1.5) == [*known, *against[:2]]
    assert still_valid([*known, *against], 1.5) == against
    then = BayesianRegression(1, 0.01, 1.5, still_valid([*known, *against, *known[:1]], 1.5))
    assert then.mean(ONE) == pytest.approx(-19.7, abs=0.5)


def test_a_change_of_mind_about_one_situation_leaves_the_others() -> None:
    here, there = (1.0, 0.0), (1.0, 1.0)
    known = [Label(place, 0.3, 4.0) for place in (here, there) for _ in range(4)]
    against = [Label(here, -0.3, 4.0)] * 3
    assert still_valid([*known, *against]) == [*known[4:], *against]


@settings(max_examples=60, deadline=None)
@given(labels=LABELS, place=PLACE, seed=st.integers(0, 9))
def test_the_order_of_labels_does_not_matter(labels: list[Label], place: tuple[float, ...], seed: int) -> None:
    mixed = [labels[at] for at in np.random.default_rng(seed).permutation(len(labels))]
    one, other = BayesianRegression(3, labels=labels), BayesianRegression(3, labels=mixed)
    assert one.mean(place) == pytest.approx(other.mean(place), abs=1e-4)
    assert one.deviation(place) == pytest.approx(other.deviation(place), abs=1e-4)


@settings(max_examples=60, deadline=None)
@given(labels=LABELS, extra=st.builds(Label, PLACE, NUMBERS, WEIGHTS), place=PLACE)
def test_building_without_a_label_is_never_having_had_it(
    labels: list[Label], extra: Label, place: tuple[float, ...]
) -> None:
    model = BayesianRegression(3, labels=labels)
    before = model.mean(place), model.deviation(place)
    model.update(extra.x, extra.y, extra.weight)
    again = BayesianRegression(3, labels=model.labels[:-1])
    assert (again.mean(place), again.deviation(place)) == before


@settings(max_examples=100, deadline=None)
@given(values=st.lists(st.tuples(NUMBERS, WEIGHTS), max_size=30))
def test_a_prediction_stays_within_its_labels(values: list[tuple[float, float]]) -> None:
    model = BayesianRegression(1, labels=[Label(ONE, y, weight) for y, weight in values])
    heights = [0.0, *(y for y, _ in values)]
    assert min(heights) - 1e-9 <= model.mean(ONE) <= max(heights) + 1e-9
    assert 0.0 < model.deviation(ONE) <= 0.5 + 1e-9


EXTREME = st.floats(-1e3, 1e3)


@settings(max_examples=100, deadline=None)
@given(
    labels=st.lists(st.builds(Label, st.tuples(EXTREME, EXTREME), EXTREME, st.floats(1e-3, 1e3)), max_size=10),
    place=st.tuples(EXTREME, EXTREME),
)
def test_numbers_stay_finite(labels: list[Label], place: tuple[float, float]) -> None:
    model = BayesianRegression(2, labels=still_valid(labels))
    assert math.isfinite(model.mean(place)) and math.isfinite(model.deviation(place))
    assert all(0.0 <= share <= 1.0 for share in model.trust())


@pytest.mark.parametrize(
    ("x", "y", "weight"),
    [
        ((1.0,), math.nan, 1.0),
        ((math.inf,), 0.0, 1.0),
        ((1.0,), 1e9, 1.0),
        ((1.0,), 0.0, 0.0),
        ((1.0,), 0.0, -1.0),
        ((1.0, 2.0), 0.0, 1.0),
    ],
)
def test_what_is_no_label_is_refused(x: tuple[float, ...], y: float, weight: float) -> None:
    model = BayesianRegression(1)
    with pytest.raises(ValueError, match=r"label|features"):
        model.update(x, y, weight)
    assert model.labels == ()
