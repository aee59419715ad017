"""Words in the pieces that the network knows: whole where they are common, else from the left, longest first."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

MOST_PIECES = 8
"""Of one word. What is longer is no word."""


class Pieces:
    """A vocabulary of pieces. The words of one sentence after another are looked up once each."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._numbers = {piece: number for number, piece in enumerate(vocabulary)}
        self.start, self.end = self._numbers["[CLS]"], self._numbers["[SEP]"]
        self._unknown = self._numbers["[UNK]"]
        self._known: dict[str, tuple[int, ...]] = {}

    def of(self, word: str) -> tuple[int, ...]:
        """The numbers of a word's pieces, without accents and capitals."""
        found = self._known.get(word)
        if found is None:
            if len(self._known) > 50_000:
                self._known.clear()
            found = self._known[word] = self._cut(plain(word))
        return found

    def _cut(self, word: str) -> tuple[int, ...]:
        out: list[int] = []
        at = 0
        while at < len(word) and len(out) < MOST_PIECES:
            for end in range(min(len(word), at + 30), at, -1):
                number = self._numbers.get(word[at:end] if at == 0 else f"##{word[at:end]}")
                if number is not None:
                    out.append(number)
                    at = end
                    break
            else:
                return (self._unknown,)
        return tuple(out) or (self._unknown,)


def plain(word: str) -> str:
    """Small letters without accents."""
    return "".join(c for c in unicodedata.normalize("NFD", word.casefold()) if not unicodedata.combining(c))
