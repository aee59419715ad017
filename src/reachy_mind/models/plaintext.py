"""Words for a language model, and words of one: plain, on one line, at most so long.

What people said, and what a model answers, is data from somebody else. What goes to a model stands between marks that
it can't contain; of what comes back only words are kept: no markup, addresses, control characters or thoughts.
"""

from __future__ import annotations

import re
import unicodedata
from html import unescape

MOST_READ = 20_000

_LINK = re.compile(r"!?\[([^\[\]]{0,300})\]\([^()\s]{0,2000}\)")
_TAG = re.compile(r"<[^<>]{0,200}>")
_ADDRESS = re.compile(r"\b(?:https?|ftp|file|data|javascript):\S+", re.IGNORECASE)
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,2}[.)]|#{1,6}|>)\s+", re.MULTILINE)
_MARKS = re.compile(r"[*`~#|\\]|_{2,}")
_SENTENCE_END = re.compile(r"[.!?。！？](?=\s|$)")  # noqa: RUF001 -- other languages have other full stops


def fenced(mark: str, text: str, most: int) -> str:
    """Text between `<mark>` and `</mark>`, without what could end it or stand for a picture in a model's language."""
    words = _line(text[: most * 2].replace("<", " ").replace(">", " "))[:most]
    return f"<{mark}>{words}</{mark}>" if words else ""


def words(said: str, most: int) -> str:
    """The words of an answer, in whole sentences if it has to be cut; empty when there are none."""
    text = said[:MOST_READ].rpartition("</think>")[2].partition("<think>")[0]  # what it only thought
    text = _TAG.sub(" ", unescape(_LINK.sub(r"\1", text)))
    line = _line(_MARKS.sub("", _BULLET.sub("", _ADDRESS.sub("", text))))
    if not any(letter.isalnum() for letter in line):
        return ""
    return line if len(line) <= most else _shortened(line, most)


def _line(text: str) -> str:
    spaced = "".join(" " if letter.isspace() else letter for letter in text)
    return " ".join("".join(letter for letter in spaced if unicodedata.category(letter)[0] != "C").split())


def _shortened(line: str, most: int) -> str:
    """Whole sentences, if there are any."""
    cut = line[:most]
    ends = [found.end() for found in _SENTENCE_END.finditer(cut)]
    return cut[: ends[-1]] if ends else f"{cut[:-1].rstrip()}…"
