"""Ratings that are said outright."""

from __future__ import annotations

import pytest

from reachy_mind.feedback.ratings import read_rating


@pytest.mark.parametrize(
    ("text", "reward"),
    [
        ("10/10", 1.0),
        ("I'd give that a 7 out of 10", 0.4),
        ("zero out of ten", -1.0),
        ("5 von 10 Punkten", 0.0),
        ("neuf sur dix", 0.8),
        ("diez de diez", 1.0),
        ("vier von fünf Sternen", 0.6),
        ("five stars", 1.0),
        ("one star", -0.8),
        ("three stars out of five", 0.0),
        ("50 %", 0.0),
        ("thumbs up", 0.8),
        ("Daumen runter", -0.5),
        ("👍🏽", 0.8),
        ("👏👏👏", 0.9),
        ("👎", -0.5),
    ],
)
def test_a_rating_is_read(text: str, reward: float) -> None:
    assert read_rating(text) == pytest.approx(reward, abs=0.11)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "wake me at 8",
        "2 of 3 apples are red",
        "12 out of 10",
        "3 out of 7",
        "five stars for doing nothing",
        "ten out of ten for getting it wrong",
        "the hotel has four stars",
        "great 😀",
        "one of my friends",
        "x" * 500,
    ],
)
def test_other_words_are_no_rating(text: str) -> None:
    assert read_rating(text) is None


def test_a_higher_number_is_a_higher_reward() -> None:
    rewards = [read_rating(f"{number} out of 10") for number in range(11)]
    assert rewards == sorted(rewards, key=lambda reward: reward or 0.0) and len(set(rewards)) == 11
