"""Lessons in words."""

from __future__ import annotations

import pytest

from reachy_mind.feedback.explanations import explained
from reachy_mind.feedback.lessons import Lesson
from reachy_mind.feedback.tuning import Tuning

LOOK = Lesson(
    1, 0, "ada", "value", "move_head", "degrees", {"direction": "left"}, {"offset": -0.66, "step": -1}, "less"
)
APPLE = {"azimuth": 10.0, "elevation": -20.0, "distance": 0.5}
AIM = [
    Lesson(
        each,
        0,
        "ada",
        "value",
        "look_at_object",
        "pitch_offset",
        APPLE,
        {"offset": -0.8, "weight": 3.4, "step": -1},
        "lower",
    )
    for each in (2, 3, 4)
]
DANCE = Lesson(5, 0, "ada", "choice", "dance", "", {}, {"request": "do the thing", "calls": [["dance", {}]]}, "dance")


def test_what_was_learned_why_and_how_often() -> None:
    tuning = Tuning([LOOK, *AIM, DANCE])
    assert (
        explained(AIM[0], tuning) == "I look 8 degrees lower for things on the table, because you told me three times."
    )
    assert explained(LOOK, tuning) == "When I look left, I turn 25 degrees instead of 35, because you told me once."
    assert explained(DANCE, tuning) == 'When you say "do the thing", I dance, because you told me so.'


@pytest.mark.parametrize(("language", "words"), [("de", "nach links"), ("fr", "à gauche"), ("es", "a la izquierda")])
def test_in_ones_own_language(language: str, words: str) -> None:
    told = explained(LOOK, Tuning([LOOK]), language)
    assert words in told and "25" in told and "left" not in told


def test_a_lesson_about_a_tool_that_is_gone_can_still_be_told() -> None:
    gone = Lesson(9, 0, "ada", "value", "no_such_tool", "speed", {}, {"offset": 1.0}, "faster")
    assert "no such tool" in explained(gone, Tuning([gone]))
