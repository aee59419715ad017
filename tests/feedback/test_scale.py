"""A person's own scale."""

from __future__ import annotations

import math

import pytest

from reachy_mind.feedback.scale import PersonalScale


def test_without_pairs_nothing_changes() -> None:
    assert [PersonalScale.of([]).adjusted(reward) for reward in (-1.0, -0.3, 0.0, 0.9)] == [-1.0, -0.3, 0.0, 0.9]


def test_a_sparing_person_is_understood_after_some_ratings_and_hardly_after_one() -> None:
    sparing = [(0.3, 0.8), (0.2, 0.7), (-0.2, 0.2), (0.5, 1.0)] * 5
    once, often = PersonalScale.of(sparing[:1]), PersonalScale.of(sparing)
    assert 0.3 < once.adjusted(0.3) < 0.6
    assert often.adjusted(0.3) == pytest.approx(0.8, abs=0.1)


def test_better_words_stay_better_whatever_is_clicked_and_a_stop_stays_a_stop() -> None:
    reversed_scale = PersonalScale.of([(-0.9, 1.0), (0.9, -1.0)] * 100)
    adjusted = [reversed_scale.adjusted(reward / 10) for reward in range(-9, 10)]
    assert adjusted == sorted(adjusted) and adjusted[0] < adjusted[-1]
    assert PersonalScale.of([(-1.0, 1.0)] * 100).adjusted(-1.0) == -1.0


def test_rewards_stay_within_bounds_and_what_is_no_number_is_left_out() -> None:
    scale = PersonalScale.of([(0.1, 1.0)] * 50 + [(math.nan, 1.0)])
    assert scale.adjusted(1.0) == 1.0 and scale.pairs == 50
