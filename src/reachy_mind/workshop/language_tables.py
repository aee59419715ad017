"""Texts in several languages, from the YAML files that stand beside the modules that say them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml


@cache
def tables(file: Path) -> Mapping[str, Any]:
    """The content of a file, read once."""
    read: dict[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return read


def in_language(texts: Mapping[str, str], language: str) -> str:
    """The text in that language, else in English."""
    return texts.get(language, texts["en"])
