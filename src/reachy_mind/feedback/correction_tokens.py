"""What somebody said as clauses of tagged words (`feedback.correction_words`), typing errors of key words mended."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from reachy_mind.brains.word_lists import spaced
from reachy_mind.feedback.correction_context import CONTEXT
from reachy_mind.feedback.correction_idioms import IDIOMS
from reachy_mind.feedback.correction_words import POLES, SIZES
from reachy_mind.memory.normalization import COMMON

_PIECE = re.compile(r"[^\W_]+|[.,;:!?\u2026\n\u2b05-\u2b07\u27a1()\u2014]|--+| - ")
_QUOTED = re.compile(
    r"[\"\u201c\u201e\u00ab][^\"\u201c\u201d\u00bb]{1,80}[\"\u201c\u201d\u00bb]|(?<!\w)['\u2018][^'\u2019]{2,80}['\u2019](?!\w)"
)
"""What somebody quotes is not said to the robot."""
_ELISION = re.compile(r"\b(c|d|j|l|m|n|s|t|qu)['\u2019](?=\w)")
_APOSTROPHE = re.compile(r"n['\u2019]t\b")
_LONG_RUN = re.compile(r"(\w)\1{2,}")
_CONTRACTIONS = {
    "thats": "that s", "youre": "you re", "its": "it s", "im": "i m", "whats": "what s", "wheres": "where s",
    "ive": "i ve", "theres": "there s", "hes": "he s", "shes": "she s", "theyre": "they re", "ur": "your", "u": "you",
    "lets": "let s", "cannot": "cant", "youve": "you ve", "youll": "you ll", "wanna": "want to",
}  # fmt: skip
"""Contractions as they are written without an apostrophe, or by people in a hurry."""
_ARROWS = {"\u2b05": "left", "\u27a1": "right", "\u2b06": "up", "\u2b07": "down"}
ASKING = re.compile(
    r"(?:whats?|which|who|where|how|when|is|are|was|were|quel(?:le)?s?|combien|comment|cual(?:es)?|cuant[oa]s?|como"
    r"|welche[rsn]?|wieviele?|wie|wann|est ce|quand|cuando"
    r"|(?:do|does|did|have|has) (?:you|i|we|they|he|she|other|robots))\b"
    r"(?! about| you (?:think|mind)| i (?:want|need)|s? the (?:rush|hurry|fire)| s the (?:rush|hurry|fire))"
)
"""How a question for information begins."""
FAR = frozenset(spaced("far weit loin lejos"))
SIDES = frozenset(spaced("left right gauche droite izquierda derecha linke rechte linken rechten"))
SIDED = frozenset(spaced("antenna antenne antena ear eye arm"))
"""What the robot has on two sides."""
SPLITS = frozenset("BJc")
MENDED = frozenset(
    spaced(
        """
        slower slowly slow faster fast quicker louder loud quieter quiet softer higher high lower bigger smaller longer
        shorter closer further left right down little slightly more much less gauche droite vite moins lentement
        izquierda derecha rapido despacio arriba abajo links rechts schneller schnell langsamer langsam lauter leiser
        leise tiefer bisschen weiter
        """
    )
)
"""Words whose typing errors are mended."""
_REAL_WORDS = frozenset(
    spaced("loner later latter loser quite fats father lost droit recht linkes rechtes lowder sorter")
)
"""Words that are no typing errors of those."""


@dataclass(frozen=True, slots=True)
class Tagged:
    """A word or phrase: its tag and, for a pole, the axis and the sign; for a size, the size."""

    tag: str
    words: str
    axis: str = ""
    sign: int = 0
    size: str = ""
    usual: str = "medium"
    """The size that a pole has when nothing says how much."""


@dataclass(frozen=True, slots=True)
class TaggedClause:
    """The tagged words between two marks or conjunctions."""

    words: tuple[Tagged, ...]
    opening: str = ""
    """The tag of the conjunction that opens it: `B` (but), `J` (and), or empty."""
    asks: bool = False
    """Whether its sentence begins as a question for information does."""


def clauses(text: str) -> list[TaggedClause]:
    """The clauses of a text; a typing error in a key word is mended."""
    found: list[TaggedClause] = []
    fresh, asks = True, False
    for words, mark in _stretches(text):
        part: list[Tagged] = []
        opening = ""
        if fresh:
            asks = ASKING.match(" ".join(words)) is not None
        fresh = mark not in ",()"
        for word in _tagged(words):
            if word.tag in SPLITS:
                if part:
                    found.append(TaggedClause(tuple(part), opening, asks))
                part, opening = [], word.tag
            else:
                part.append(word)
        if part:
            found.append(TaggedClause(tuple(part), opening, asks))
    return _joined([TaggedClause(_in_context(part.words), part.opening, part.asks) for part in found])


def _joined(parts: Sequence[TaggedClause]) -> list[TaggedClause]:
    """A clause that only says how much belongs to the one before: "tilt right, just a hair"."""
    found: list[TaggedClause] = []
    for part in parts:
        if found and all(word.tag in "sFZW" for word in part.words) and any(word.size for word in part.words):
            found[-1] = replace(found[-1], words=found[-1].words + part.words)
        else:
            found.append(part)
    return found


def _in_context(words: Sequence[Tagged]) -> tuple[Tagged, ...]:
    """Words that are no pole of their own here: "further" of "further left", "left" of "the left antenna"."""
    found: list[Tagged] = []
    for place, word in enumerate(words):
        following = words[place + 1] if place + 1 < len(words) else None
        if following is not None and following.tag == "D" and word.axis == "amplitude" and word.tag in "QC":
            found.append(Tagged("M" if word.tag == "C" else "F", "far" if word.tag == "Q" else word.words))
        elif word.tag == "Y" and found and found[-1].words in SIDES and word.words.split()[-1] in SIDED:
            found[-1] = Tagged("Y", f"{found[-1].words} {word.words}")
        elif (
            word.words in FAR
            and found
            and found[-1].tag in "TN"
            and all(other.tag in "FEWw" for other in words[place + 1 :])
        ):
            found.append(Tagged("Q", word.words, "amplitude", 1))
        elif place == 0 and word.words == "no" and following is not None and _interjection(words):
            found.append(Tagged("f", "no"))
        elif (
            word.words in ("2", "two")
            and following is not None
            and (following.tag in "QH" or following.words == "much")
        ):
            found.append(Tagged("T", "too"))
        else:
            found.append(word)
    return tuple(found)


def _interjection(words: Sequence[Tagged]) -> bool:
    """Whether the "no" that begins the words stands alone: "no you're too low", not "no further left"."""
    following = words[1]
    ordered = following.tag == "G" and all(word.tag != "S" for word in words)
    return (
        ordered or following.tag in "sTDFw" or following.words in ("you", "your", "it", "that was", "it was", "that s")
    )


def _stretches(text: str) -> Iterator[tuple[list[str], str]]:
    """The words up to each mark, and the mark."""
    words: list[str] = []
    for piece in _PIECE.findall(_bare(text)):
        if piece in _ARROWS:
            words.append(_ARROWS[piece])
        elif piece[0].isalnum():
            words.extend(_CONTRACTIONS.get(piece, piece).split())
        elif words:
            yield words, piece
            words = []
    if words:
        yield words, ""


def _bare(text: str) -> str:
    low = _ELISION.sub(r"\1 ", _APOSTROPHE.sub("nt", _QUOTED.sub(" quotation ", text.casefold())))
    low = re.sub(r"(\w)['\u2019](\w)", r"\1 \2", low)
    bare = unicodedata.normalize("NFKD", low)
    return _LONG_RUN.sub(r"\1", "".join(c for c in bare if not unicodedata.combining(c)))


def _tagged(words: Sequence[str]) -> list[Tagged]:
    phrases, longest = _phrases()
    found: list[Tagged] = []
    at = 0
    while at < len(words):
        for length in range(min(longest.get(words[at], 0), len(words) - at), 0, -1):
            entry = phrases.get(" ".join(words[at : at + length]))
            if entry is not None:
                found.append(entry)
                at += length
                break
        else:
            found.append(_unknown(words[at]))
            at += 1
    return found


def _unknown(word: str) -> Tagged:
    if word in COMMON:
        return Tagged("F", word)
    if word.isdigit():
        return Tagged("n", word)
    if len(word) >= 3 and (meant := _misspelt(word)):
        return _phrases()[0][meant]
    return Tagged("x", word)


def _misspelt(word: str) -> str | None:
    """The key word that was meant: two letters are in the other order, or one is missing or too many."""
    near = _typing_errors()
    if word in near:
        return near[word]
    for place in range(1, len(word) - 1):
        less = word[:place] + word[place + 1 :]
        if len(less) >= 5 and less in MENDED and word not in _REAL_WORDS:
            return less
    return None


@cache
def _typing_errors() -> dict[str, str]:
    """Misspelt key words: two letters inside in the other order, or, of a longer word, one that is missing."""
    known = _phrases()[0]
    errors: dict[str, str] = {}
    for word in MENDED:
        for place in range(1, len(word) - 1):
            errors.setdefault(word[:place] + word[place + 1] + word[place] + word[place + 2 :], word)
        if len(word) >= 6:
            for place in range(1, len(word)):
                errors.setdefault(word[:place] + word[place + 1 :], word)
    return {error: word for error, word in errors.items() if error not in known and error not in _REAL_WORDS}


@cache
def _phrases() -> tuple[dict[str, Tagged], dict[str, int]]:
    """The entry of each phrase, and the most words of a phrase by its first word."""
    entries: dict[str, Tagged] = {}
    for line in SIZES.strip().splitlines():
        size, _, phrases = line.partition(":")
        for phrase in phrases.split(","):
            entries.setdefault(phrase.strip(), Tagged("s", phrase.strip(), size=size))
    for line in f"{IDIOMS.strip()}\n{POLES.strip()}\n{CONTEXT.strip()}".splitlines():
        head, _, phrases = line.partition(":")
        tag, *more = head.split()
        values: dict[str, Any] = {"axis": more[0][:-1], "sign": 1 if more[0][-1] == "+" else -1} if more else {}
        if more and more[0].isalpha():
            values = {"size": more[0]}
        elif len(more) > 1:
            values["usual"] = more[1]
        for phrase in phrases.split(","):
            entries.setdefault(phrase.strip(), Tagged(tag, phrase.strip(), **values))
    longest: dict[str, int] = {}
    for phrase in entries:
        first, count = phrase.split(" ", 1)[0], phrase.count(" ") + 1
        longest[first] = max(longest.get(first, 0), count)
    return entries, longest
