"""Text from repositories, as it is shown: without control characters, in bounds. It is data, whatever it says."""

from __future__ import annotations

import re
import unicodedata

MAX_LINE = 2000
ESCAPE = re.compile(
    r"""
    (?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?             # colours, cursor movements
    | (?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])      # titles, links, device strings ...
      [^\x07\x1b\x9c\n]{0,4096}(?:\x07|\x1b\\|\x9c)?  # ... up to their end
    | \x1b[ -/]*[0-~]?
    """,
    re.VERBOSE,
)
"""An escape sequence of a terminal."""
_DIRECTION = frozenset(map(chr, (0x200E, 0x200F, 0x061C, *range(0x202A, 0x202F), *range(0x2066, 0x206A))))
"""Characters that change the order in which text is shown."""


def decoded(raw: bytes) -> str:
    """Bytes of a repository as text; what is no UTF-8 is replaced."""
    return raw.decode("utf-8", "replace")


def shown(text: str, max_chars: int = MAX_LINE, *, lines: bool = False) -> str:
    """Text without escape sequences and control characters; with `lines`, line breaks and tabs stay."""
    kept = "".join(_sign(sign, lines=lines) for sign in ESCAPE.sub("", text[: 4 * max_chars].replace("\r\n", "\n")))
    return kept if len(kept) <= max_chars else f"{kept[: max_chars - 1]}…"


def _sign(sign: str, *, lines: bool) -> str:
    if sign >= " " and sign.isascii():
        return "" if sign == "\x7f" else sign
    if sign in "\n\t":
        return sign if lines else " "
    if sign in _DIRECTION or unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp"):
        return "�"
    return sign
