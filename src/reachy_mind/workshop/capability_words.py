"""The words for capabilities, spoken by the robot and read by a person who decides: `capability_words.yaml`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from reachy_mind.workshop.language_tables import in_language, tables

FILE = Path(__file__).with_name("capability_words.yaml")


def spoken(given: Sequence[str], language: str) -> str:
    """What a tool may use: "my camera and my voice", "the internet (api.example.org)"."""
    words = [_spoken(each, language) for each in given]
    if not words:
        return in_language(tables(FILE)["none"], language)
    *first, last = words
    return f"{', '.join(first)} {in_language(tables(FILE)['and'], language)} {last}" if first else last


def allows(capability: str) -> str:
    """What a capability allows, for a person who decides about it."""
    kind, _, what = capability.partition(":")
    words = tables(FILE)["capabilities"][kind]
    return str(words["allows_one"].format(what=what) if what else words["allows"])


def _spoken(capability: str, language: str) -> str:
    kind, _, what = capability.partition(":")
    word = in_language(tables(FILE)["capabilities"][kind]["spoken"], language)
    return f"{word} ({what})" if what else word
