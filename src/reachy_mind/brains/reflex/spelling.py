"""Typing errors: what a sentence may have been meant to say, with words that people use to a robot."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache

from reachy_mind.brains.reflex.paraphrases import shipped
from reachy_mind.models.wordpiece import without_accents

SHORTEST, MOST_WRONG, MOST_TRIES = 3, 4, 16
"""Letters of a word that is looked at; words of a sentence that may be wrong; sentences that are tried."""
OFTEN, COMMONER = 8, 10
"""How often a word is said that is surely one, and how much more often the one that it is an error of."""
COMMON = 3
"""How often a word is said that is no error."""
_WORD = re.compile(r"[^\W\d_]+")
_LETTERS = "abcdefghijklmnopqrstuvwxyzäöüßàâçéèêëîïôûùñáíóú"


@cache
def _counts() -> Counter[str]:
    """How often each word stands in the shipped sentences, some of which have typing errors."""
    return Counter(word.casefold() for line in shipped() for word in _WORD.findall(line))


@cache
def common_words() -> frozenset[str]:
    """Words that exist in one of the languages, without accents: those of the shipped sentences, but their errors.
    The first call reads files (0.2 s)."""
    return frozenset(without_accents(word) for word, count in _counts().items() if count >= COMMON)


def corrected(text: str) -> Iterator[str]:
    """Other sentences that it may have been meant to be."""
    placed = [(found.start(), found.end()) for found in _WORD.finditer(text) if len(found[0]) >= SHORTEST]
    choices = [_meant(text[start:end]) for start, end in placed]
    if sum(len(each) > 1 for each in choices) > MOST_WRONG:
        return
    for picked in itertools.islice(itertools.product(*choices), MOST_TRIES):
        if (other := _replaced(text, placed, picked)) != text:
            yield other


def _meant(word: str) -> list[str]:
    """The word, and much commoner ones that differ by one letter; first those, if it is an unknown word."""
    counts, said = _counts(), word.casefold()
    least = max(OFTEN, COMMONER * counts[said])
    near = sorted((each for each in _one_off(said) if counts[each] >= least), key=lambda each: -counts[each])
    return [*near, word] if counts[said] < OFTEN else [word, *near]


def _replaced(text: str, placed: list[tuple[int, int]], words: Sequence[str]) -> str:
    for (start, end), word in reversed(list(zip(placed, words, strict=True))):
        text = text[:start] + word + text[end:]
    return text


def _one_off(word: str) -> set[str]:
    """What differs by one letter: one too many, one missing, another one, or two that changed places."""
    parts = [(word[:place], word[place:]) for place in range(len(word) + 1)]
    found = {left + right[1:] for left, right in parts if right}
    found |= {left + right[1] + right[0] + right[2:] for left, right in parts if len(right) > 1}
    found |= {left + letter + right[1:] for left, right in parts if right for letter in _LETTERS}
    return found | {left + letter + right for left, right in parts for letter in _LETTERS}
