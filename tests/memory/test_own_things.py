"""Questions about one's own things, plans and tastes are answered by what one told, and by nothing else."""

from __future__ import annotations

import pytest

from reachy_mind.memory import own_things

ANSWERS = [
    ("what colour is my car?", "my car is red", "Your car is red."),
    ("de quelle couleur est mon vélo ?", "mon vélo est vert", "Mon vélo est vert."),
    ("when is my exam?", "my exam is on Thursday", "Your exam is on Thursday."),
    ("wann ist mein Termin?", "mein Termin ist am Dienstag", "Mein Termin ist am Dienstag."),
    ("where is my passport?", "I put my passport in the top drawer", "You put your passport in the top drawer."),
    ("where did I park the car?", "I parked the car behind the library", "You parked the car behind the library."),
    ("where are we going?", "we are going to Norway in July", "You are going to Norway in July."),
    ("where am I from?", "I'm from Munich", "You're from Munich."),
    ("what am I allergic to?", "I am allergic to latex", "You are allergic to latex."),
    ("do I like techno?", "I hate techno", "No, you hate techno."),
    ("do I like jazz?", "I like jazz", "Yes, you like jazz."),
]


@pytest.mark.parametrize(("asked", "told", "answer"), ANSWERS)
def test_what_was_told_answers(asked: str, told: str, answer: str) -> None:
    found = own_things.answer(asked, ["I like tea", told, "the weather is nice"])
    assert found is not None and found.text == answer


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("what colour is my car?", "my wife's car is red"),
        ("what am I allergic to?", "my wife is allergic to nuts"),
        ("when is my birthday?", "my sister's birthday is on 4 May"),
        ("where am I from?", "my husband Carlos is from Chile"),
        ("what colour is my chair?", "my sofa is blue"),
        ("what colour is the sky?", "my sofa is blue"),
    ],
)
def test_what_was_told_of_others_does_not(asked: str, told: str) -> None:
    assert own_things.answer(asked, [told]) is None
