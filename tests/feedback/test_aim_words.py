"""Words about a look, said right after it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reachy_mind.feedback.aim_words import read_aim_corrections


@pytest.mark.parametrize(
    ("text", "axis", "sign"),
    [
        ("no, left", "yaw", 1),
        ("nein, rechts", "yaw", -1),
        ("the cup is to the right of where you look", "yaw", -1),
        ("it's just above that", "pitch", 1),
        ("a hair to your left", "yaw", 1),
        ("un poquito a tu derecha", "yaw", -1),
        ("baisse un peu", "pitch", -1),
        ("etwas weiter rauf", "pitch", 1),
        ("way too high", "pitch", -1),
        ("you overshot to the right", "yaw", 1),
    ],
)
def test_a_direction_with_a_denial_a_size_or_a_place_is_a_correction(text: str, axis: str, sign: int) -> None:
    [found] = read_aim_corrections(text)
    assert (found.axis, found.sign) == (axis, sign)


@pytest.mark.parametrize(
    "text",
    [
        "look left",
        "look up and then down",
        "now you look right at it",
        "right there, perfect",
        "I feel a bit down today",
        "why do you look up?",
        "my sister lives on the left bank",
        "my left foot hurts a little",
        "tell me a joke",
    ],
)
def test_requests_praise_and_other_talk_are_none(text: str) -> None:
    assert read_aim_corrections(text) == []


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    assert all(each.sign in (-1, 1) for each in read_aim_corrections(text))
