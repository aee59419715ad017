"""A stretch of a sentence that asks for something, with what is around it, and what rules about it are made of."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reachy_mind.brains.reflex.plan import Before, Part, Step
from reachy_mind.brains.reflex.reader import Found
from reachy_mind.brains.word_lists import spaced
from reachy_mind.models.wordpiece import without_accents

_CORRECTION = re.compile(
    r"\b(?:no wait|no sorry|wait no|no|sorry|i mean|i meant|make that|rather|actually|euh non|non|pardon|plut[o\u00f4]t"
    r"|no espera|espera|perd[o\u00f3]n|digo|nein|nee|quatsch|\u00e4h|ich meine|lieber)\b,?",
    re.IGNORECASE,
)
_AGAIN = re.compile(
    r"\b(?:again|same|once more|encore|pareil|refais|otra vez|de nuevo|igual|nochmals?|noch mal|wieder|gleiche)\b"
)

Parts = Sequence[Part] | None
Rule = Callable[["Clause"], Parts]
IT = frozenset(spaced("it that this them him her one ça cela le la lui eso esto lo es das den ihn sie"))
"""What stands for something that was named before."""


@dataclass(frozen=True)
class Clause:
    """A stretch, with what is around it."""

    found: Found
    language: str
    before: Sequence[Before]
    whole: str
    """All that was said."""
    earlier: Sequence[Before] = ()
    """The calls of the turn before, whatever was done in this one already."""

    def picked(self, name: str) -> str:
        return self.found.closed.get(name, "")

    def words(self, name: str) -> str:
        """The words of an open argument, without quotes and signs around them."""
        text = self.found.spans.get(name, "").strip(" \t\n.,!?;:\"'\u201c\u201d\u2018\u2019\u00ab\u00bb\u201e()")
        return re.sub(r"\s+", " ", text)

    def number(self, name: str, read: Callable[[str, str], float | int | None]) -> float | int | None:
        text = self.words(name)
        if text and (meant := self.corrected) and (value := read(meant, self.language)) is not None:
            return value
        return read(text, self.language) if text else None

    @property
    def corrected(self) -> str:
        """What follows a correction: "twenty, no wait, thirty degrees"."""
        parts = _CORRECTION.split(self.found.said)
        return parts[-1] if len(parts) > 1 else ""

    @property
    def opposite(self) -> bool:
        return bool(re.search(r"\b(?:other|opposite|autre|oppose|otro|otra|contrari[oa]|ander\w+)\b", self.plainly))

    @property
    def again(self) -> Mapping[str, Any]:
        """The arguments of the last call, where this is to be the same again but for what is said."""
        last = self.last(self.found.label)
        return last.args if last and _AGAIN.search(self.plainly) else {}

    @property
    def plainly(self) -> str:
        return without_accents(self.found.said)

    def last(self, *tools: str) -> Before | None:
        """The last call of one of these tools."""
        return next((call for call in (*reversed(self.before), *reversed(self.earlier)) if call.tool in tools), None)

    @property
    def pace(self) -> dict[str, Any]:
        speed = self.picked("speed")
        return {"speed": speed} if speed else {}


class Rules(dict[str, Rule]):
    """What labels mean, by the functions that make calls of them."""

    def of(self, *labels: str) -> Callable[[Rule], Rule]:
        def kept(function: Rule) -> Rule:
            self.update(dict.fromkeys(labels, function))
            return function

        return kept


def step(tool: str, args: dict[str, Any] | None = None, note: str = "") -> list[Part]:
    """One call."""
    return [Step(tool, args or {}, note=note)]


def within(value: float, most: float, least: float | None = None) -> float:
    """In a tool's range, which goes both ways unless a `least` is given."""
    return min(max(value, -most if least is None else least), most)
