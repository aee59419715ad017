"""Facts are found in questions as people ask them: with greetings, remarks, wishes and typing errors around them."""

from __future__ import annotations

from datetime import date

import pytest

from reachy_mind.brains.reflex import almanac, calendar_answers
from reachy_mind.brains.reflex.wording import Wording


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("hey robot whats the bigest planet", "Jupiter"),
        ("what langauge do people speak in brazil", "Portuguese"),
        ("chemical symbol for gold pls", "Au"),
        ("Could you tell me, dear, who wrote Romeo and Juliet?", "Shakespeare"),
        ("my grandson would like to know what the tallest animal in the world is", "giraffe"),
        ("can you explain what photosynthesis means", "sunlight"),
        ("I forget his name. Who was the first man on the moon?", "Armstrong"),
        ("is a whale a fish or a mammal? we are having an argument here", "mammal"),
    ],
)
def test_what_stands_around_a_question_is_left_out(asked: str, answer: str) -> None:
    found = almanac.answer(asked)
    assert found is not None and answer in found[0]


@pytest.mark.parametrize("asked", ["what is the biggest plane", "what is my capital", "who wrote my letter?"])
def test_another_word_is_no_typing_error(asked: str) -> None:
    assert almanac.answer(asked) is None


def test_a_supposed_day_is_reckoned_from() -> None:
    said = "if its monday today which day is it in ten days from now"
    assert "Thursday" in calendar_answers.answer(said, Wording("en"), date(2026, 11, 18))
