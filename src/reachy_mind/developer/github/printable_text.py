"""Text that others wrote (titles, bodies, logs) as plain text: no escape sequences, no control characters, bounded.

The words stay what they are: data, to be shown or read out, never instructions.
"""

from __future__ import annotations

import unicodedata

from reachy_mind.developer.shown_text import ESCAPE


def one_line(text: object, most: int) -> str:
    """One line of at most `most` characters; empty for anything but a text."""
    if not isinstance(text, str):
        return ""
    kept = " ".join(_printable(text[: most * 4]).split())
    return kept if len(kept) <= most else f"{kept[: most - 1].rstrip()}…"


def web_address(text: object, most: int = 300) -> str:
    """An address of the web, which can be made a link; empty for any other: `javascript:` is one too."""
    found = one_line(text, most + 1)
    return found if len(found) <= most and found.startswith(("https://", "http://")) else ""


def lines(text: object, most: int) -> str:
    """Lines of together at most `most` characters, with a note when there were more."""
    if not isinstance(text, str):
        return ""
    kept = _printable(text[: most * 2]).strip("\n")
    cut = len(kept) > most or len(text) > most * 2
    return f"{kept[:most].rstrip()}\n… ({len(text)} characters)" if cut else kept


def _printable(text: str) -> str:
    text = ESCAPE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    # Category C: control, format (also what reverses the direction), surrogate and private-use characters.
    return "".join(
        letter
        for letter in text
        if letter in "\n\t" or (letter.isascii() and letter.isprintable()) or _is_shown(letter)
    )


def _is_shown(letter: str) -> bool:
    return unicodedata.category(letter)[0] != "C"
