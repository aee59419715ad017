"""Answers to "was it good?"."""

from __future__ import annotations

import pytest

from reachy_mind.feedback.answers import QuestionAnswer, read_answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Yes, it was good!", QuestionAnswer(0.5)),
        ("no", QuestionAnswer(-0.5)),
        ("not really", QuestionAnswer(-0.5)),
        ("not bad at all", QuestionAnswer(0.5)),
        ("Nein, nicht so gut", QuestionAnswer(-0.5)),
        ("oui c\u2019était bien", QuestionAnswer(0.5)),
        ("No, look left", QuestionAnswer(-0.5, "look left")),
        ("sure. Tell me a joke", QuestionAnswer(0.5, "Tell me a joke")),
    ],
)
def test_what_is_an_answer_is_told_from_what_else_was_said(text: str, answer: QuestionAnswer) -> None:
    assert read_answer(text) == answer


@pytest.mark.parametrize("text", ["good morning", "no problem", "si tu veux", "mal sehen", "look left", "", "it was"])
def test_other_words_are_no_answer(text: str) -> None:
    assert read_answer(text) is None
