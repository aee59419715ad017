"""Parser for `profile.md`, the conversation app's format, version 1: TOML between `+++` lines, then instructions.

    +++
    schema_version = 1
    voice = "cedar"
    greeting = "Greet me in one sentence."
    hidden = false
    default_tools = ["dance", "camera"]
    +++
    You are ...

The greeting is an instruction for the model, not a text to say.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from typing import Any

from reachy_mind.profiles.texts import Texts

FILE = "profile.md"
VERSION = 1
FENCE = "+++"
_LINE = re.compile(r"at line (\d+)")
_FIELD_TYPES: dict[str, type[Any]] = {
    "schema_version": int,
    "voice": str,
    "greeting": str,
    "hidden": bool,
    "default_tools": list,
}


@dataclass(frozen=True)
class FrontMatter:
    """The content of a `profile.md`. `tools` is None without a `default_tools` field."""

    instructions: str = ""
    tools: tuple[str, ...] | None = None
    voice: str = ""
    greeting: str = ""
    hidden: bool = False


def front_matter(texts: Texts) -> FrontMatter | None:
    """Parse the folder's `profile.md`; None without a usable one. Problems are noted in `texts`."""
    text = texts.read(FILE)
    if text is None:
        return None
    lines = text.split("\n")
    if lines[0].strip() != FENCE:
        texts.note(FILE, f"it does not begin with {FENCE}: all of it was taken for instructions", 1)
        return FrontMatter(text.strip())
    end = next((at for at, line in enumerate(lines[1:], 1) if line.strip() == FENCE), None)
    if end is None:
        texts.note(FILE, f"the second {FENCE} is missing", len(lines))
        return None
    fields = _validated(_toml("\n".join(lines[1:end]), texts), texts)
    instructions = "\n".join(lines[end + 1 :]).strip()
    if not instructions:
        texts.note(FILE, f"there are no instructions after the second {FENCE}", end + 1)
    tools = fields.get("default_tools")
    return FrontMatter(
        instructions,
        None if tools is None else tuple(tools),
        fields.get("voice", "").strip(),
        " ".join(fields.get("greeting", "").split()),
        fields.get("hidden", False),
    )


def _toml(text: str, texts: Texts) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        found = _LINE.search(str(error))
        texts.note(FILE, f"not TOML: {error}", int(found[1]) + 1 if found else 0)
        return {}


def _validated(fields: dict[str, Any], texts: Texts) -> dict[str, Any]:
    """The valid fields; the others are noted as problems."""
    valid: dict[str, Any] = {}
    for name, value in fields.items():
        kind = _FIELD_TYPES.get(name)
        if kind is None:
            texts.note(FILE, f"unknown field {name[:60]!r} (there are {', '.join(_FIELD_TYPES)})")
        elif type(value) is not kind:  # not isinstance: a bool is no number here
            texts.note(FILE, f"{name} is no {kind.__name__}")
        elif name == "default_tools":
            tools: list[Any] = value
            valid[name] = [tool.strip() for tool in tools if isinstance(tool, str) and tool.strip()]
            if len(valid[name]) < len(tools):
                texts.note(FILE, "default_tools has entries that are no names")
        else:
            valid[name] = value
    if fields and valid.get("schema_version") != VERSION:
        texts.note(FILE, f"schema_version is {fields.get('schema_version')!r}; what was read is version {VERSION}")
    return valid
