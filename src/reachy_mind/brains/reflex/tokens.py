"""A sentence as words to compare, each with its place in what was really said.

Small letters, contractions in full ("don't" is do not), numbers as digits ("twenty five" is 25), punctuation as words
of its own. What somebody quotes is one word: it is not ours to take apart.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from reachy_mind.brains.reflex import numbers

QUOTED = "<quoted>"
SENTENCE_ENDS = frozenset(".!?;")
PUNCTUATION = SENTENCE_ENDS | {",", ":"}

_TOKEN = re.compile(
    r"""["\u201c\u201d\u00ab\u00bb\u201e]
    | \d{1,2}:\d{2}(?!\d)
    | \d*[^\W\d_]+\d\w*
    | \d{1,3}(?:,\d{3})+(?!\d)
    | \d+(?:\.\d+)?
    | [ap]\.m\b\.?
    | [^\W\d_]+(?:'[^\W\d_]+)*
    | [.!?;,:\u00b0%]
    | -(?=\d)""",
    re.VERBOSE,
)
_QUOTES = frozenset('"\u201c\u201d\u00ab\u00bb\u201e')
_FULL = {
    "can't": "can not", "cannot": "can not", "won't": "will not", "shan't": "shall not", "let's": "let us",
    "i'm": "i am", "i'd": "i would", "it's": "it is", "that's": "that is", "what's": "what is", "who's": "who is",
    "where's": "where is", "how's": "how is", "when's": "when is", "there's": "there is", "here's": "here is",
    "y'all": "you all", "c'mon": "come on", "dont": "do not", "whats": "what is", "wheres": "where is",
    "hows": "how is", "gimme": "give me", "lemme": "let me", "wanna": "want to", "gonna": "going to",
    "gotta": "have to", "pls": "please", "plz": "please", "o'clock": "oclock", "thru": "through",
    "u": "you", "thx": "thanks", "what're": "what are", "twice": "2 times", "thrice": "3 times",
    "centre": "center", "colour": "color",
    "favourite": "favorite", "a.m": "am", "p.m": "pm", "a.m.": "am", "p.m.": "pm",
    "antennae": "antennas", "photograph": "photo", "pic": "photo", "pics": "photos",
}  # fmt: skip
_ENDINGS = {"n't": "not", "'re": "are", "'ll": "will", "'ve": "have", "'d": "would"}


class WordToken(NamedTuple):
    """A word to compare, and from where to where it was written."""

    word: str
    start: int
    end: int


def tokens(text: str) -> list[WordToken]:
    """The words of a composed text, numbers read."""
    flat = text.replace("\u2019", "'").replace("\u2018", "'")
    found: list[WordToken] = []
    opened: re.Match[str] | None = None
    for match in _TOKEN.finditer(flat):
        if match[0] in _QUOTES:
            if opened is None and _closes(flat, match.end()):
                opened = match
            elif opened is not None:
                found.append(WordToken(QUOTED, opened.end(), match.start()))
                opened = None
        elif opened is None:
            found.extend(WordToken(word, match.start(), match.end()) for word in _in_full(match[0]))
    return [WordToken(word, found[first].start, found[last].end) for word, first, last in numbers.read(_words(found))]


def _closes(text: str, after: int) -> bool:
    """Whether a quote that opens here is ever closed; one that is not is only a mark."""
    return any(mark in text[after:] for mark in _QUOTES)


def _in_full(written: str) -> Sequence[str]:
    word = written.casefold()
    if word in _FULL:
        return _FULL[word].split()
    if "'" in word:
        for ending, full in _ENDINGS.items():
            if word.endswith(ending) and len(word) > len(ending):
                return word[: -len(ending)], full
        return (word.replace("'", ""),) if not word.endswith("'s") else (word[:-2] + "s",)
    if word[0].isdigit() and "," in word:
        return (word.replace(",", ""),)
    return (word,)


def _words(found: Sequence[WordToken]) -> list[str]:
    return [token.word for token in found]


@dataclass(frozen=True)
class Spoken:
    """Some words in a row of what somebody said."""

    source: str
    tokens: tuple[WordToken, ...]

    @classmethod
    def of(cls, text: str) -> Spoken:
        composed = unicodedata.normalize("NFC", text)
        return cls(composed, tuple(tokens(composed)))

    @cached_property
    def words(self) -> tuple[str, ...]:
        return tuple(token.word for token in self.tokens)

    @cached_property
    def text(self) -> str:
        """The words with one space between them, for patterns."""
        return " ".join(self.words)

    @cached_property
    def _offsets(self) -> list[int]:
        offsets, at = [], 0
        for word in self.words:
            offsets.append(at)
            at += len(word) + 1
        return offsets

    def __len__(self) -> int:
        return len(self.tokens)

    def part(self, first: int, last: int | None = None) -> Spoken:
        """The words from `first` up to `last`."""
        return Spoken(self.source, self.tokens[first:last])

    def as_said(self, start: int = 0, end: int | None = None) -> str:
        """What was really said, for a stretch of `text`."""
        end = len(self.text) if end is None else end
        if start >= end or not self.tokens:
            return ""
        first = bisect_right(self._offsets, start) - 1
        last = bisect_right(self._offsets, end - 1) - 1
        stretch = self.tokens[first : last + 1]
        begin, finish = min(token.start for token in stretch), max(token.end for token in stretch)
        return self.source[begin:finish].strip(" \t\n,:;")
