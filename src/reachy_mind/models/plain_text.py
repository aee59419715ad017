"""Sanitizes text for language models and from them: plain text on one line, of limited length.

What people say and what a model answers is untrusted. Input is fenced between marks that it can't contain; of an answer
only words are kept: no markup, addresses, control characters or reasoning.
"""

from __future__ import annotations

import re
import unicodedata
from html import unescape

MAX_INPUT_CHARS = 20_000

_LINK = re.compile(r"!?\[([^\[\]]{0,300})\]\([^()\s]{0,2000}\)")
_TAG = re.compile(r"<[^<>]{0,200}>")
_ADDRESS = re.compile(r"\b(?:https?|ftp|file|data|javascript):\S+", re.IGNORECASE)
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,2}[.)]|#{1,6}|>)\s+", re.MULTILINE)
_MARKS = re.compile(r"[*`~#|\\]|_{2,}")
_SENTENCE_END = re.compile(r"[.!?。！？](?=\s|$)")  # noqa: RUF001 -- full stops of other languages


def fenced(mark: str, text: str, most: int) -> str:
    """Text between `<mark>` and `</mark>`, without `<` and `>`: it can't close the mark or form a special token."""
    words = _line(text[: most * 2].replace("<", " ").replace(">", " "))[:most]
    return f"<{mark}>{words}</{mark}>" if words else ""


def words(said: str, most: int) -> str:
    """The words of an answer, cut at a sentence end; empty when there are none."""
    text = said[:MAX_INPUT_CHARS].rpartition("</think>")[2].partition("<think>")[0]  # without its reasoning
    text = _TAG.sub(" ", unescape(_LINK.sub(r"\1", text)))
    line = _line(_MARKS.sub("", _BULLET.sub("", _ADDRESS.sub("", text))))
    if not any(letter.isalnum() for letter in line):
        return ""
    return line if len(line) <= most else _shorten(line, most)


def _line(text: str) -> str:
    spaced = "".join(" " if letter.isspace() else letter for letter in text)
    return " ".join("".join(letter for letter in spaced if unicodedata.category(letter)[0] != "C").split())


def _shorten(line: str, most: int) -> str:
    """Whole sentences, if there are any."""
    cut = line[:most]
    ends = [found.end() for found in _SENTENCE_END.finditer(cut)]
    return cut[: ends[-1]] if ends else f"{cut[:-1].rstrip()}…"
