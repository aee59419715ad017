"""The words for capabilities, spoken by the robot and read by a person who decides: `capability_words.yaml`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml

FILE = Path(__file__).with_name("capability_words.yaml")


@cache
def _tables() -> dict[str, Any]:
    tables: dict[str, Any] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    return tables


def spoken(given: Sequence[str], language: str) -> str:
    """What a tool may use: "my camera and my voice", "the internet (api.example.org)"."""
    words = [_spoken(each, language) for each in given]
    if not words:
        return _in(language, _tables()["none"])
    *first, last = words
    return f"{', '.join(first)} {_in(language, _tables()['and'])} {last}" if first else last


def allows(capability: str) -> str:
    """What a capability allows, for a person who decides about it."""
    kind, _, what = capability.partition(":")
    words = _tables()["capabilities"][kind]
    return str(words["allows_one"].format(what=what) if what else words["allows"])


def _spoken(capability: str, language: str) -> str:
    kind, _, what = capability.partition(":")
    word = _in(language, _tables()["capabilities"][kind]["spoken"])
    return f"{word} ({what})" if what else word


def _in(language: str, ways: dict[str, str]) -> str:
    """The words in that language, else in English."""
    return ways.get(language, ways["en"])
