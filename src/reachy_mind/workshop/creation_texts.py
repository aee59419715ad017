"""What people are told and asked about a new tool, in the language of the request: `creation_texts.yaml`."""

from __future__ import annotations

from pathlib import Path

from reachy_mind.models import plain_text
from reachy_mind.workshop import capability_words
from reachy_mind.workshop.language_tables import in_language, tables
from reachy_mind.workshop.shelf.versions import ToolVersion

FILE = Path(__file__).with_name("creation_texts.yaml")
MAX_EXPLANATION = 500


def said(key: str, language: str, **values: object) -> str:
    """A sentence in that language, else in English."""
    return in_language(tables(FILE)["said"][key], language).format(**values).strip()


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
