"""Riddles and quiz questions from `content/*.yaml`, and whether an answer is right.

A line holds what is asked and what counts, with bars between: `question | answer | other answer`. The first answer is
the one that is told. A riddle has a hint after its text.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from reachy_mind.brains.reflex import quantities
from reachy_mind.brains.reflex.games.remarks import heard

CONTENT = Path(__file__).with_name("content")
LONGEST = 120
"""Characters of an answer."""
_NEAR, _SHORTEST_NEAR = 0.84, 5
"""How alike a misspelt answer must be, and how long."""


@dataclass(frozen=True)
class QuizQuestion:
    """What is asked, and the answers that count."""

    text: str
    answers: tuple[str, ...]
    hint: str = ""

    @property
    def answer(self) -> str:
        return self.answers[0]


@cache
def questions(language: str, kind: str) -> tuple[QuizQuestion, ...]:
    """The `riddles` or the `quiz` of a language."""
    read = yaml.safe_load((CONTENT / f"{language}.yaml").read_text(encoding="utf-8"))
    split = [[part.strip() for part in line.split("|")] for line in read[kind]]
    if kind == "riddles":
        return tuple(QuizQuestion(text, tuple(answers), hint) for text, hint, *answers in split)
    return tuple(QuizQuestion(text, tuple(answers)) for text, *answers in split)


def is_right(said: str, answers: Sequence[str], language: str) -> bool:
    """Whether one of the answers was given: as whole words, as a number, or nearly spelt so."""
    if len(said) > LONGEST:
        return False
    words = heard(said)
    for answer in map(heard, answers):
        if answer.isdigit():
            if float(answer) in quantities.numbers_in(said, language):
                return True
        elif re.search(rf"\b{re.escape(answer)}(?:s|es|e|n|en)?\b", words) or (
            len(answer) >= _SHORTEST_NEAR and _nearly(answer, words)
        ):
            return True
    return False


def _nearly(answer: str, words: str) -> bool:
    length = len(answer.split())
    said = words.split()
    stretches = [" ".join(said[at : at + length]) for at in range(max(1, len(said) - length + 1))]
    return any(difflib.SequenceMatcher(None, answer, stretch).ratio() >= _NEAR for stretch in stretches)
