"""The phrasebook: what a brain without a language model says, in each language, and a profile's own ways to say it.

The book's are in `phrases/*.yaml`, several for each key. A profile's are in its `manner.yaml`:

    en:
      greet: ["Ahoy.", "Ahoy there."]

Keys are those of the phrasebook. A way may have the gaps that the book's ways have (`{answer}`), and no others.
"""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import yaml

BOOKS = Path(__file__).with_name("phrases")
LANGUAGES = ("en", "fr", "es", "de")
Manner = Mapping[str, Sequence[str]]
"""What a profile says in its own way: phrases by key, for one language."""
MOST_WAYS, LONGEST_WAY = 100, 1000

Slip = tuple[int, str]
"""A line, and what is wrong there."""


@cache
def book(language: str) -> dict[str, Any]:
    """All phrases of a language."""
    read: dict[str, Any] = yaml.safe_load((BOOKS / f"{language}.yaml").read_text(encoding="utf-8"))
    return read


def phrasing(text: str) -> tuple[dict[str, Manner], list[Slip]]:
    """Phrases by language and key, as far as they can be used, and what can't be. Never raises."""
    manner, slips = _understood(text)
    return {language: dict(phrases) for language, phrases in manner.items()}, list(slips)


@lru_cache(maxsize=64)  # profiles are read again whenever they are listed, and YAML takes ten milliseconds
def _understood(text: str) -> tuple[dict[str, Manner], list[Slip]]:
    slips: list[Slip] = []
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        return {}, [(mark.line + 1 if mark else 0, f"not YAML: {getattr(error, 'problem', None) or error}")]
    manner: dict[str, Manner] = {}
    for language, phrases in _entries(root, slips, "languages"):
        if language not in LANGUAGES:
            slips.append((_line(phrases), f"{language!r} is no language of ours: {', '.join(LANGUAGES)}"))
            continue
        said = {
            key: ways
            for key, node in _entries(phrases, slips, "phrases")
            if (ways := _ways(language, key, node, slips))
        }
        if said:
            manner[language] = said
    return manner, slips


def _entries(node: Any, slips: list[Slip], what: str) -> list[tuple[str, yaml.Node]]:
    if node is None or (isinstance(node, yaml.ScalarNode) and not node.value):
        return []
    if not isinstance(node, yaml.MappingNode):
        slips.append((_line(node), f"here should be {what}, as 'name: ...' lines"))
        return []
    return [(key.value, value) for key, value in node.value if isinstance(key, yaml.ScalarNode)]


def _ways(language: str, key: str, node: yaml.Node, slips: list[Slip]) -> list[str]:
    known = book(language)
    if key not in known or key == "steps":
        slips.append((_line(node), f"the phrasebook has no {key!r}"))
        return []
    if not isinstance(node, yaml.SequenceNode):
        slips.append((_line(node), f"{key} is no list of phrases"))
        return []
    allowed = set().union(*(_gaps(way) or set() for way in known[key]))
    ways = []
    for each in node.value[:MOST_WAYS]:
        way = str(each.value).strip() if isinstance(each, yaml.ScalarNode) else ""
        gaps = _gaps(way)
        if not way or len(way) > LONGEST_WAY:
            slips.append((_line(each), f"{key}: a phrase is text of at most {LONGEST_WAY} characters"))
        elif gaps is None or not gaps <= allowed:
            usable = ", ".join(f"{{{gap}}}" for gap in sorted(allowed)) or "none"
            slips.append((_line(each), f"{key}: braces are for gaps, and it has {usable}"))
        else:
            ways.append(way)
    return ways


def _gaps(way: str) -> set[str] | None:
    """The names in braces; None where they are no plain ones."""
    try:
        found = [(name, form, turn) for _, name, form, turn in string.Formatter().parse(way) if name is not None]
    except ValueError:
        return None
    return {name for name, _, _ in found} if all(n.isidentifier() and not f and not t for n, f, t in found) else None


def _line(node: Any) -> int:
    return int(node.start_mark.line) + 1
