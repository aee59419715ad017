"""Lists of words and phrases, written as text."""

from __future__ import annotations


def spaced(text: str) -> list[str]:
    """The words of a text."""
    return text.split()


def alternatives(text: str) -> str:
    """One pattern out of several, each on a line of its own."""
    return "|".join(line.strip() for line in text.split("\n") if line.strip())


def lines(text: str) -> list[str]:
    """The phrases of a text, one a line or several on a line with `|` between them."""
    return [phrase.strip() for line in text.split("\n") for phrase in line.split("|") if phrase.strip()]
