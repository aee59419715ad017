"""Markdown as repositories show it: anchors of headings, links, and blocks inside lists."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

FENCE = re.compile(r"^( *)(```+|~~~+)")
LINK = re.compile(r"(!?)\[((?:[^\[\]]|!?\[[^\]]*\](?:\([^)]*\))?)*)\]\((?!\w+:|#)([^)\s#]*)(#[^)\s]*)?\)")
ITEM = re.compile(r"^([-*]|\d+\.) ")


def anchor(heading: str, separator: str) -> str:
    """The anchor that a repository browser gives a heading; links in docs/ are written for these."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", separator)


def cell(text: str) -> str:
    """Text for a cell of a table, on one line."""
    return " ".join(text.split()).replace("|", "\\|")


def code(text: str) -> str:
    """Text in letters of a program, also where it has backticks of its own."""
    ticks = "`" * (max((len(run) for run in re.findall(r"`+", text)), default=0) + 1)
    pad = " " if "`" in text else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; columns that are empty in every row are left out."""
    filled = [[cell(text) for text in row] for row in rows]
    kept = [number for number in range(len(head)) if any(row[number] for row in filled)]
    lines = [[head[number] for number in kept], ["---"] * len(kept)]
    lines += [[row[number] for number in kept] for row in filled]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def plain_text(text: str) -> str:
    """Text that is shown as it is: no sign of it begins a tag or an emphasis. What is between backticks stays."""
    parts = re.split(r"(`[^`\n]+`)", text)
    return "".join(part if part.startswith("`") else re.sub(r"([<>*_])", r"\\\1", part) for part in parts)


def with_deep_fences(markdown: str) -> str:
    """Blocks of code inside list items, four columns in; repositories take two, Python-Markdown does not."""
    lines: list[str] = []
    inside, shift, in_item = "", 0, False
    for line in markdown.splitlines():
        fence = FENCE.match(line)
        if not inside and not fence:
            in_item = bool(ITEM.match(line)) or (in_item and (not line or line.startswith(" ")))
        if fence and not inside:
            inside, shift = fence[2], 4 - len(fence[1]) if in_item and 0 < len(fence[1]) < 4 else 0
        elif fence and fence[2].startswith(inside) and line.strip() == fence[2]:
            inside = ""
            lines.append(" " * shift + line)
            continue
        lines.append(" " * shift + line if inside and line else line)
    return "\n".join(lines) + "\n"
