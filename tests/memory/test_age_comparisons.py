"""Who is older is told from the ages that were told, in four languages, and from nothing else."""

from __future__ import annotations

import pytest

from reachy_mind.memory import age_comparisons

FAMILY = ["my brother Luis is 28", "my sister Ana is 31"]
ANSWERS = [
    ("who is older?", FAMILY, "Your sister Ana is older than your brother Luis, by 3 years."),
    ("who is younger?", FAMILY, "Your brother Luis is younger than your sister Ana, by 3 years."),
    ("is Luis older than Ana?", FAMILY, "Your sister Ana is older than your brother Luis, by 3 years."),
    ("who is the youngest?", [*FAMILY, "my niece Ida is 4"], "Your niece Ida is the youngest, with 4."),
    ("am I older than my wife?", ["my wife is 42", "I am forty"], "Your wife is older than you, by 2 years."),
    ("who is older, mum or dad?", ["my mum is 68", "my dad is 68"], "Your mum and your dad are the same age."),
    ("wer ist älter?", ["mein Bruder ist 15", "meine Schwester ist 12"],
     "Dein Bruder ist älter als deine Schwester, um 3 Jahre."),
    ("qui est le plus âgé ?", ["mon frère Paul a 15 ans", "ma sœur Julie a 12 ans"],
     "Ton frère Paul est plus âgé que ta sœur Julie, de 3 ans."),
    ("¿quién es mayor?", ["mi hermano tiene 15 años", "mi hermana tiene 12 años"],
     "Tu hermano es mayor que tu hermana, por 3 años."),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "told", "answer"), ANSWERS)
def test_ages_are_compared(asked: str, told: list[str], answer: str) -> None:
    found = age_comparisons.answer(asked, told)
    assert found is not None and found.text == answer


def test_by_how_much_follows_the_question_before() -> None:
    found = age_comparisons.answer("by how many years?", FAMILY, "who is older?")
    assert found is not None and "3 years" in found.text
    assert age_comparisons.answer("by how many years?", FAMILY, "how are you?") is None


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("who is older?", ["my sister Ana is 31"]),
        ("who is older, Obama or Trump?", []),
        ("how old is my brother?", FAMILY),
        ("the older one is nice", FAMILY),
    ],
)
def test_without_both_ages_there_is_no_answer(asked: str, told: list[str]) -> None:
    assert age_comparisons.answer(asked, told) is None
