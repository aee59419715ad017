"""A day that is corrected takes the place of the one that was said."""

from __future__ import annotations

import pytest

from reachy_mind.memory import day_words, discourse
from reachy_mind.memory.mentions import Exchange

CORRECTIONS = [
    ("my exam is on Tuesday", "no, Thursday, not Tuesday", "my exam is on Thursday"),
    ("I have a meeting with Paul on Monday", "sorry, on Wednesday", "I have a meeting with Paul on Wednesday"),
    ("our party is on Saturday", "no wait, it's on Sunday", "our party is on Sunday"),
    ("my flight is on 3 March at 9", "sorry, April", "my flight is on 3 April at 9"),
    ("what day is it in three days?", "no, in four days", "what day is it in four days?"),
    ("mein Zahnarzttermin ist am Dienstag", "nein, am Donnerstag", "mein Zahnarzttermin ist am Donnerstag"),
    ("mon examen est mardi", "non, jeudi, pas mardi", "mon examen est jeudi"),
    ("mi examen es el martes", "no, el jueves, no el martes", "mi examen es el jueves"),
]


@pytest.mark.parametrize(("before", "said", "right"), CORRECTIONS)
def test_the_other_day_is_put_in_its_place(before: str, said: str, right: str) -> None:
    assert day_words.swapped(said, before) == right


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("my exam is on Tuesday", "no"),
        ("my exam is on Tuesday", "no, Tuesday"),
        ("my exam is on Tuesday", "Thursday is fine"),
        ("my exam is hard", "no, Thursday"),
        ("from Monday to Friday", "no, Sunday"),
        ("I live in Rome", "no, in Milan"),
    ],
)
def test_anything_else_changes_no_day(before: str, said: str) -> None:
    assert day_words.swapped(said, before) == ""


def test_what_was_told_is_replaced() -> None:
    told = discourse.told("no, Thursday", [Exchange("I have an exam on Tuesday", "Noted.")])
    (fact,) = told.facts
    assert (fact.content, fact.replaces) == ("I have an exam on Thursday", ("I have an exam on Tuesday",))
    assert told.corrects
