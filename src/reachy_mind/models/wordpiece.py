"""`WordPiece`: text in the pieces that a BERT model knows: common words whole, others cut, longest piece first."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

LONGEST_WORD = 100
"""Characters. What is longer is no word."""
MOST_KNOWN = 50_000
"""Words whose pieces are kept, so that each is cut once."""
_CHINESE = ((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0xF900, 0xFAFF), (0x20000, 0x2CEAF), (0x2F800, 0x2FA1F))


class WordPiece:
    """A vocabulary, one piece a line; those that go on a word begin with ##."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._numbers = {piece: number for number, piece in enumerate(vocabulary)}
        self._longest = max(map(len, vocabulary))
        self.start, self.end = self._numbers["[CLS]"], self._numbers["[SEP]"]
        self._unknown = self._numbers["[UNK]"]
        self._known: dict[tuple[str, int], tuple[int, ...]] = {}

    def encode(self, text: str, most: int = 256) -> list[int]:
        """The numbers of a text's pieces, with those that begin and end it; what is too long is cut off."""
        pieces: list[int] = []
        for word in _words(text):
            pieces += self._cut(word, most) if len(word) <= LONGEST_WORD else (self._unknown,)
            if len(pieces) >= most - 2:
                break
        return [self.start, *pieces[: most - 2], self.end]

    def word(self, word: str, most: int) -> tuple[int, ...]:
        """The numbers of the first pieces of one word, `most` of them, without accents and capitals."""
        found = self._known.get((word, most))
        if found is None:
            if len(self._known) > MOST_KNOWN:
                self._known.clear()
            found = self._known[word, most] = self._cut(without_accents(word), most) or (self._unknown,)
        return found

    def _cut(self, word: str, most: int) -> tuple[int, ...]:
        found: list[int] = []
        at = 0
        while at < len(word) and len(found) < most:
            for end in range(min(len(word), at + self._longest), at, -1):
                number = self._numbers.get(word[at:end] if at == 0 else f"##{word[at:end]}")
                if number is not None:
                    found.append(number)
                    at = end
                    break
            else:
                return (self._unknown,)
        return tuple(found)


def without_accents(text: str) -> str:
    """Small letters without accents."""
    return "".join(c for c in unicodedata.normalize("NFD", text.casefold()) if not unicodedata.combining(c))


def _words(text: str) -> list[str]:
    """Small letters without accents; each punctuation mark and Chinese character by itself."""
    out: list[str] = []
    for c in unicodedata.normalize("NFD", text.lower()):
        kind = unicodedata.category(c)
        if kind == "Mn" or (kind[0] == "C" and not c.isspace()):
            continue
        apart = _punctuation(c, kind) or any(low <= ord(c) <= high for low, high in _CHINESE)
        out.append(f" {c} " if apart else c)
    return "".join(out).split()


def _punctuation(c: str, kind: str) -> bool:
    return kind[0] == "P" or (c.isascii() and c.isprintable() and not c.isalnum() and not c.isspace())
