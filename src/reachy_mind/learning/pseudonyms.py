"""`Pseudonyms`: text without the names of people."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from reachy_mind.memory.normalization import COMMON, plain

SHORTEST_PART, SHORTEST_INFLECTED = 2, 3
"""Letters of a part of a name that is replaced where it stands alone, and of one that may end in an s, as in Annas."""
DATA_FOLDER = "$REACHY_MIND_HOME"
_WORD = re.compile(r"[^\W_]+")


class Pseudonyms:
    """Replaces each name, whole or in part, by `Person 1`, `Person 2` and so on, in the order of the names.

    `everyday`: words that are no names when they are written small, such as rose. `folder`: the data folder, whose path
    may have a name in it.
    """

    def __init__(self, names: Sequence[str], everyday: Collection[str] = (), folder: str = "") -> None:
        self._folder = folder
        self._replaced: dict[str, str] = {}
        for number, name in enumerate(dict.fromkeys(plain(name) for name in names), 1):
            for part in (name, *(part for part in name.split() if len(part) >= SHORTEST_PART)):
                self._replaced.setdefault(part, f"Person {number}")
        self._capital = {part for part in self._replaced if part in COMMON or part in everyday}
        self._longest = max((len(name.split()) for name in self._replaced), default=0)

    def replace(self, value: Any) -> Any:
        """The same text, list or dict without the names; keys stay."""
        match value:
            case str():
                return self._in_text(value)
            case Mapping():
                return {key: self.replace(each) for key, each in value.items()}
            case list() | tuple():
                return [self.replace(each) for each in value]
            case _:
                return value

    def _in_text(self, text: str) -> str:
        if self._folder:
            text = text.replace(self._folder, DATA_FOLDER)
        if not self._replaced:
            return text
        pieces, at, place = list[str](), 0, 0
        words = list(_WORD.finditer(text))
        while place < len(words):
            for count in range(min(self._longest, len(words) - place), 0, -1):
                begin, end = words[place].start(), words[place + count - 1].end()
                if (pseudonym := self._pseudonym(text[begin:end])) is not None:
                    pieces += [text[at:begin], pseudonym]
                    at, place = end, place + count - 1
                    break
            place += 1
        return "".join([*pieces, text[at:]])

    def _pseudonym(self, written: str) -> str | None:
        part = plain(written)
        if part not in self._replaced and part.endswith("s") and len(part) > SHORTEST_INFLECTED:
            part = part[:-1]
        if part in self._capital and not written[:1].isupper():
            return None
        return self._replaced.get(part)
