"""What people are told and asked about a new tool, in the language of the request: `creation_texts.yaml`."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml

from reachy_mind.models import plain_text
from reachy_mind.workshop import capability_words
from reachy_mind.workshop.shelf.versions import ToolVersion

FILE = Path(__file__).with_name("creation_texts.yaml")
MAX_EXPLANATION = 500


@cache
def _tables() -> dict[str, Any]:
    tables: dict[str, Any] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    return tables


def said(key: str, language: str, **values: object) -> str:
    """A sentence in that language, else in English."""
    ways: dict[str, str] = _tables()["said"][key]
    return ways.get(language, ways["en"]).format(**values).strip()


def about(version: ToolVersion) -> dict[str, str]:
    """The words about a version that the sentences have gaps for. What its author wrote is kept short."""
    explanation = plain_text.words(version.explanation or version.description, MAX_EXPLANATION)
    return {
        "name": f"“{version.name.replace('_', ' ')}”",
        "tool": version.name,
        "explanation": explanation if explanation.endswith((".", "!", "?")) else f"{explanation}.",
        "capabilities": capability_words.spoken(version.capabilities, version.language),
    }


def question(version: ToolVersion) -> str:
    """What a person is asked who may approve a version: what it may use, then what its author says."""
    return said("question", version.language, **about(version))
