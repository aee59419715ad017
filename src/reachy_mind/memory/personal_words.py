"""`PersonalWords`: the words by which data of a person is found where it does not say whose it is.

Three kinds, from the safest to the widest: the person's names; sentences and values that they told; and rare words,
that is words of theirs that nobody else has said and that are no words of everyday language.
"""

from __future__ import annotations

import json
import re
import sqlite3
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from reachy_mind.memory.normalization import COMMON, plain

Phrases = Mapping[str, tuple[tuple[str, ...], ...]]
"""Phrases by their first word."""
SHORTEST_RARE = 4
"""Letters of a rare word, or digits."""
_REMINDERS = ("SELECT message AS text FROM timers WHERE folded(person) = :person AND message <> ''",)
_SENTENCES = (
    "SELECT content AS text FROM memories WHERE person = :person AND type <> 'conversation'",
    "SELECT value AS text FROM profile WHERE person = :person",
    *_REMINDERS,
)
_SAID = (
    *_SENTENCES,
    "SELECT said AS text FROM turns WHERE folded(person) = :person",
    "SELECT arguments AS text FROM audit_content WHERE folded(person) = :person",
)
_OTHERS_SAID = (
    *(sql.replace("person = :person", "person NOT IN ('', :person)") for sql in _SENTENCES[:2]),
    *(sql.replace("folded(person) = :person", "folded(person) NOT IN ('', :person)") for sql in _SAID[2:]),
    "SELECT name AS text FROM people WHERE id <> :person",
)
_LINE = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class PersonalWords:
    """Compares words, not letters: case, accents and punctuation do not matter."""

    names: tuple[tuple[str, ...], ...] = ()
    capitals: tuple[str, ...] = ()
    """Names that are everyday words too, such as Rose: they count only with a capital letter."""
    sentences: Phrases = field(default_factory=dict)
    reminders: Phrases = field(default_factory=dict)
    """What they had themselves reminded of: everybody who is there hears it."""
    rare: frozenset[str] = frozenset()

    def names_person(self, text: str | None) -> bool:
        """Whether a name of the person stands in the text."""
        text = text or ""
        if any(re.search(rf"\b{re.escape(name)}\b", text) for name in self.capitals):
            return True
        if not any(name[0] in text.casefold() for name in self.names) and text.isascii() and "\\u" not in text:
            return False  # most texts: splitting them into words takes longer
        words = split(text)
        return any(_stands_in(name, words, at) for name in self.names for at in range(len(words)))

    def quotes_person(self, text: str | None) -> bool:
        """Whether the text has a name of the person, or something that they told."""
        return self.names_person(text) or _has_phrase(self.sentences, split(text or ""))

    def tells_reminder(self, text: str | None) -> bool:
        """Whether the text tells a reminder of theirs."""
        return _has_phrase(self.reminders, split(text or ""))

    def shares_words(self, text: str | None) -> bool:
        """Whether the text has a name of the person, something they told, or one of their rare words."""
        return not self.rare.isdisjoint(split(text or "")) or self.quotes_person(text)


def split(text: str) -> list[str]:
    """The words of a text; of JSON, the words of its strings."""
    if "\\u" in text:  # JSON with letters as escapes
        text = re.sub(r"\\u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), text)
    bare = unicodedata.normalize("NFKD", text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
    return _LINE.findall("".join(c for c in bare if not unicodedata.combining(c)).casefold())


def collect(db: sqlite3.Connection, person: str, everyday: Callable[[], frozenset[str]] | None) -> PersonalWords:
    """The words of a person. `everyday`: words that are too common to be anybody's; without it, none is rare."""
    names = {tuple(split(name)) for name in (person, *_names(db, person))} - {()}
    rare: set[str] = set()
    common = COMMON
    if everyday is not None:
        common = COMMON | everyday()
        rare = {word for text in _texts(db, _SAID, person) for word in split(text) if len(word) >= SHORTEST_RARE}
        others = {word for text in _texts(db, _OTHERS_SAID, person) for word in split(text)}
        rare -= others | common
    return PersonalWords(
        tuple(sorted(name for name in names if len(name) > 1 or name[0] not in common)),
        tuple(spelled for (name, *more) in names if not more and name in common for spelled in _capitals(name)),
        _phrases(_texts(db, _SENTENCES, person), rare),
        _phrases(_texts(db, _REMINDERS, person), rare),
        frozenset(rare),
    )


def _capitals(name: str) -> tuple[str, str]:
    return name.title(), name.upper()


def _phrases(texts: Iterable[str], rare: Collection[str]) -> Phrases:
    """The texts as phrases. One word alone counts if it is rare."""
    found: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for text in texts:
        words = split(text)
        if (len(words) > 1 and not COMMON.issuperset(words)) or any(word in rare for word in words):
            found[words[0]].add(tuple(words))
    return {first: tuple(phrases) for first, phrases in found.items()}


def _names(db: sqlite3.Connection, person: str) -> Iterator[str]:
    for sql in (
        "SELECT name AS text FROM people WHERE id = :person",
        "SELECT value AS text FROM profile WHERE person = :person AND key = 'name'",
    ):
        yield from _texts(db, (sql,), person)


def _texts(db: sqlite3.Connection, queries: Iterable[str], person: str) -> Iterator[str]:
    for sql in queries:
        for row in db.execute(sql, {"person": person}):
            yield from _strings(row["text"])


def _strings(text: str) -> Iterator[str]:
    """The text itself; of a JSON object, the strings in it."""
    if not text.startswith("{"):
        yield text
        return
    try:
        waiting: list[Any] = [json.loads(text)]
    except (ValueError, RecursionError):
        yield text
        return
    while waiting:
        match waiting.pop():
            case dict() as found:
                waiting += found.values()
            case list() as found:
                waiting += found
            case str() as found:
                yield found


def _has_phrase(phrases: Phrases, words: list[str]) -> bool:
    return any(_stands_in(phrase, words, at) for at, word in enumerate(words) for phrase in phrases.get(word, ()))


def _stands_in(phrase: tuple[str, ...], words: list[str], at: int) -> bool:
    return words[at] == phrase[0] and tuple(words[at : at + len(phrase)]) == phrase


def everyday_words(text: str) -> frozenset[str]:
    """The words of a large text in everyday language."""
    return frozenset(plain(word) for word in set(_LINE.findall(text.casefold())))
