"""The facts of the almanac, by the key words of the questions that they answer; `almanac/*.txt` has them.

A file is read when its language is asked in for the first time. In it, `[...]` begins a table: lines with `?` are
wordings of its questions, `!` its answer, and a row is `subject = object`. A wording with an answer of its own has it
after `=>`. Without such lines a row is a question and its answer, with the subject and the object in braces. `|`
separates other names and wordings; what stands in parentheses may be left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from pathlib import Path

from reachy_mind.brains.reflex.key_words import folded, key_words

FILES = Path(__file__).with_name("almanac")
_GAP = "xxgapxx"
_NAMED = re.compile(r"\{(.+?)\}")
_VOWEL = re.compile(r"\b([Aa]) (?=(?:owl|eagle|ant\b|ele|otter|octo))")
_WHO = frozenset(("who", "qui", "quien", "wer"))


@dataclass(frozen=True, slots=True)
class AlmanacFact:
    """An answer, the table it is from, and the names of what it is about."""

    told: str
    relation: int
    subject: str
    object: str

    @property
    def answer(self) -> str:
        """The answer with the names in its gaps, beginning with a capital."""
        told = self.told.replace("{x}", self.subject).replace("{y}", self.object)
        told = _VOWEL.sub(r"\1n ", re.sub(r"[{}]", "", told).replace("..", "."))
        return told[:1].upper() + told[1:]


SHORTEST = 5
"""Letters of a word in which a typing error is looked for."""


@dataclass(frozen=True, slots=True)
class AlmanacQuestion:
    """A question of a table: its key words, its answer if it is not the table's, and whether it names the object."""

    words: frozenset[str]
    answer: str
    backwards: bool
    relation: int


@dataclass(slots=True)
class Facts:
    """The facts of a language."""

    language: str
    single: dict[str, AlmanacFact] = field(default_factory=dict)
    """Facts without a table by the key words of their question, sorted and joined."""
    questions: dict[AlmanacQuestion, None] = field(default_factory=dict)
    subjects: dict[tuple[int, str], AlmanacFact] = field(default_factory=dict)
    objects: dict[tuple[int, str], AlmanacFact] = field(default_factory=dict)
    """Facts of a table by the key words of their subject, and of their object."""

    def find(self, words: frozenset[str]) -> AlmanacFact | None:
        """The fact that is asked for with these key words and no others."""
        return self._find(words) or (self._find(words - _WHO) if words & _WHO else None)

    def row(self, relation: int, words: frozenset[str]) -> AlmanacFact | None:
        """The fact of a table about this subject."""
        return self.subjects.get((relation, _joined(words)))

    def respelled(self, words: frozenset[str]) -> frozenset[str]:
        """The key words with typing errors corrected: letters that changed places, or one too few of a pair."""
        known, by_letters = _spellings(self.language)
        right = (
            word if word in known or len(word) < SHORTEST else by_letters.get(_letters(word), word) for word in words
        )
        return frozenset(right)

    def keys(self, words: str) -> frozenset[str]:
        """The key words of a name."""
        return key_words(folded(words), self.language)

    def _find(self, words: frozenset[str]) -> AlmanacFact | None:
        if found := self.single.get(_joined(words)):
            return found
        for question in self.questions:
            if not question.words <= words:
                continue
            rows = self.objects if question.backwards else self.subjects
            if fact := rows.get((question.relation, _joined(words - question.words))):
                told = question.answer
                return AlmanacFact(told, fact.relation, fact.subject, fact.object) if told else fact
        return None


def _letters(word: str) -> str:
    """The same for words that differ in the order or the number of a letter only."""
    return word[0] + "".join(sorted(set(word)))


@cache
def _spellings(language: str) -> tuple[frozenset[str], dict[str, str]]:
    """All key words of a language, and those that are told by their letters alone."""
    facts = facts_of(language)
    joined = [*facts.single, *(words for _, words in (*facts.subjects, *facts.objects))]
    known = {word for words in joined for word in words.split()} | {
        word for one in facts.questions for word in one.words
    }
    by_letters: dict[str, str] = {}
    twice: set[str] = set()
    for word in known:
        if len(word) >= SHORTEST and by_letters.setdefault(_letters(word), word) != word:
            twice.add(_letters(word))
    return frozenset(known), {letters: word for letters, word in by_letters.items() if letters not in twice}


@cache
def facts_of(language: str) -> Facts:
    """The facts of a language, read from its files."""
    made = Facts(language)
    for number, path in enumerate(sorted(FILES.glob(f"*.{language}.txt"))):
        _read(path.read_text(encoding="utf-8"), made, number * 1000)
    return made


def _read(text: str, into: Facts, relation: int) -> None:
    told, table, backwards = "", False, False
    for line in text.splitlines():
        row = line.strip()
        if not row or row.startswith("#"):
            continue
        if row.startswith("["):
            relation, told, table, backwards = relation + 1, "", False, False
        elif row.startswith("? "):
            wordings, _, own = row[2:].partition(" => ")
            table, backwards = True, backwards or "{y}" in wordings
            for each in wordings.split(" | "):
                into.questions.update((_question(wording, own, into, relation), None) for wording in _optional(each))
        elif row.startswith("! "):
            told = row[2:]
        elif table:
            _add_row(row, told, into, relation, backwards=backwards)
        else:
            _add_single(row, into, relation)


def _add_row(row: str, told: str, into: Facts, relation: int, *, backwards: bool) -> None:
    """Adds what a table tells about a subject."""
    left, _, right = row.partition(" = ")
    subjects, objects = left.split(" | "), right.split(" | ")
    fact = AlmanacFact(told, relation, _optional(subjects[0])[0], objects[0])
    for name in (name for each in subjects for name in _optional(each)):
        if keys := into.keys(name):  # "in" and "out" have none
            into.subjects.setdefault((relation, _joined(keys)), fact)
    for name in objects if backwards else ():
        if keys := into.keys(name):
            into.objects.setdefault((relation, _joined(keys)), fact)


def _add_single(row: str, into: Facts, relation: int) -> None:
    """Adds a question and its answer."""
    wordings, _, told = row.partition(" = ")
    subject, thing = (" ".join(_NAMED.findall(part)) for part in (wordings, told))
    fact = AlmanacFact(told, relation, subject, thing)
    for each in wordings.replace("{", "").replace("}", "").split(" | "):
        for wording in _optional(each):
            into.single.setdefault(_joined(into.keys(wording)), fact)
    into.single.pop("", None)


def _question(wording: str, own: str, into: Facts, relation: int) -> AlmanacQuestion:
    """A question of a table, with a gap for the name of the row's subject or object."""
    words = into.keys(wording.replace("{x}", _GAP).replace("{y}", _GAP))
    kept = frozenset(word for word in words if not word.startswith(_GAP[:5]))
    return AlmanacQuestion(kept, own, "{y}" in wording, relation)


def _joined(words: frozenset[str]) -> str:
    return " ".join(sorted(words))


def _optional(wording: str) -> list[str]:
    """The wording without and with what stands in parentheses; `(a/b)` is either of them or none."""
    if "(" not in wording:
        return [wording]
    parts = re.split(r"\(([^)]*)\)", wording)
    choices: Iterator[list[str]] = (["", *part.split("/")] if i % 2 else [part] for i, part in enumerate(parts))
    return list(dict.fromkeys(" ".join("".join(each).split()) for each in product(*choices)))
