"""Words by which people call the robot, answer it and say who they are."""

from __future__ import annotations

import pytest

from reachy_mind.speech.phrases import after_name, clear_answer


@pytest.mark.parametrize(
    ("heard", "said"),
    [
        ("Hey Reachy, what time is it?", "what time is it?"),
        ('"Hey Ritchie, what time is it?"', "what time is it?"),  # as the ears heard it from synthetic voices
        ("Hey Ricky, what time is it?", "what time is it?"),
        ("Reggie looked to the left.", "looked to the left."),
        ("Breachy looked to the left.", "looked to the left."),
        ("Ok, Ritty, not please.", "not please."),
        ("Hello, Rigi.", "Hello, Rigi."),
        ("He's richie.", "He's richie."),
    ],
)
def test_who_calls_it_is_understood_although_its_name_is_misheard(heard: str, said: str) -> None:
    assert after_name(heard) == said


@pytest.mark.parametrize(
    "heard",
    ["What time is it?", "Hey Richard, what time is it?", "The peach is ripe.", "I'm ready.", "Really?", "Peachy.", ""],
)
def test_who_speaks_to_somebody_else_does_not_call_it(heard: str) -> None:
    assert after_name(heard) is None


@pytest.mark.parametrize(
    ("heard", "answer"),
    [
        ("Yes.", True),
        ("Yes, please!", True),
        ("Okay, go ahead.", True),
        ("Ja.", True),
        ("No.", False),
        ("No, don't.", False),
        ("Nein.", False),
        ("Maybe.", None),
        ("Yes and no.", None),
        ("I don't know.", None),
        ("Yesterday.", None),
        ("", None),
    ],
)
def test_only_a_clear_answer_is_one(heard: str, answer: bool | None) -> None:
    assert clear_answer(heard) is answer
