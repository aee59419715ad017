"""Text in the pieces that a BERT model knows: whole words where they are common, else the longest piece first."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

LONGEST_WORD = 100
_CHINESE = ((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0xF900, 0xFAFF), (0x20000, 0x2CEAF), (0x2F800, 0x2FA1F))


class Wordpieces:
    """A vocabulary, one piece a line; those that go on a word begin with ##."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._numbers = {piece: number for number, piece in enumerate(vocabulary)}
        self._first, self._last = self._numbers["[CLS]"], self._numbers["[SEP]"]
        self._unknown = self._numbers["[UNK]"]

    def encode(self, text: str, most: int = 256) -> list[int]:
        """The numbers of its pieces, with those that begin and end a text; what is too long is cut off."""
        pieces: list[int] = []
        for word in _words(text):
            pieces += self._cut(word)
            if len(pieces) >= most - 2:
                break
        return [self._first, *pieces[: most - 2], self._last]

    def _cut(self, word: str) -> list[int]:
        if len(word) > LONGEST_WORD:
            return [self._unknown]
        found: list[int] = []
        at = 0
        while at < len(word):
            for end in range(len(word), at, -1):
                number = self._numbers.get(word[at:end] if at == 0 else f"##{word[at:end]}")
                if number is not None:
                    found.append(number)
                    at = end
                    break
            else:
                return [self._unknown]
        return found


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
