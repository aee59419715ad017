"""The pieces of words that Moonshine writes with, as the library moonshine-voice brings them (`tokenizer.bin`).

A byte-pair vocabulary: a piece is some bytes of UTF-8, a length of one or two bytes before each; the pieces 3 to 258
are the single bytes, for what no other piece spells. Pieces of control, such as `</s>` and `<<ST_0>>`, are no text.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

SPACE = "\u2581"
"""Begins a word."""
START, END = 1, 2
NOTES = "♪♫ "
_CONTROL = (b"<unk>", b"<s>", b"</s>")


class TokenText:
    """Texts of tokens."""

    def __init__(self, file: Path) -> None:
        """Raises ValueError for a file that is no vocabulary."""
        data, at = file.read_bytes(), 0
        pieces: list[bytes] = []
        while at < len(data):
            length, at = data[at], at + 1
            if length >= 128 and at < len(data):  # the low seven bits, then the high ones
                length, at = length - 128 + 128 * data[at], at + 1
            pieces.append(data[at : at + length])
            at += length
        if at != len(data) or tuple(pieces[: len(_CONTROL)]) != _CONTROL:
            raise ValueError(f"{file} is no vocabulary of Moonshine")
        self._pieces = [b"" if piece in _CONTROL or piece.startswith(b"<<ST_") else piece for piece in pieces]

    def __len__(self) -> int:
        return len(self._pieces)

    def piece(self, token: int) -> str:
        """What one token spells; a part of a letter is replaced."""
        return self._pieces[token].decode(errors="replace") if token < len(self._pieces) else ""

    def pieces(self) -> dict[str, int]:
        """The tokens by what they spell, the first where two spell the same; bytes that are no text are left out."""
        found: dict[str, int] = {}
        for token, piece in enumerate(self._pieces):
            with suppress(UnicodeDecodeError):
                found.setdefault(piece.decode(), token)
        return found

    def text(self, tokens: Iterable[int]) -> str:
        """Bytes that are no UTF-8 are replaced, tokens that do not exist left out. Notes alone, which the model writes
        for music, are no text."""
        spelt = b"".join(self._pieces[token] for token in tokens if token < len(self._pieces))
        text = " ".join(spelt.decode(errors="replace").replace(SPACE, " ").split())
        return text if text.strip(NOTES) else ""
