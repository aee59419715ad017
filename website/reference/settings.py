"""The page of all settings."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from reachy_mind.config.configuration import other_variables, variable
from reachy_mind.config.keys import FIELDS, allowed
from reachy_mind.config.settings import Settings
from website.markup import code, plain_text, table

INTRODUCTION = """\
# Settings

Every setting with what it takes, its default and the variable that sets it. A setting `robot.scene` is
`robot: {scene: ...}` in `config.yaml`. Which source wins, and where files lie: [the guide](../configuration.md).
`reachy-mind config show` prints the values in force and where each comes from."""
GUIDES = {
    "mind": "brains.md",
    "robot": "robot.md",
    "tools": "tools.md",
    "server": "api.md",
    "media": "media.md",
    "eyes": "eyes.md",
    "memory": "memory.md",
    "speech": "speech.md",
    "anthropic": "brains.md",
    "openai": "brains.md",
    "realtime": "brains.md",
    "models": "models.md",
    "hub": "models.md",
    "log": "api.md",
    "web": "talking.md",
    "workshop": "workshop.md",
    "developer": "developer.md",
    "learning": "learning.md",
    "fleet": "fleet.md",
    "device": "device.md",
    "audio": "device.md",
    "home_assistant": "other-programs.md",
    "tracing": "brains.md",
}
"""The page of docs/ that explains the settings of a section; every section has one."""


def page() -> str:
    """A section of the page for each section of `config.yaml`."""
    parts = [INTRODUCTION]
    defaults = Settings()
    also = other_variables()
    for section in Settings.model_fields:
        guide = f"Explained in [{GUIDES[section].removesuffix('.md')}](../{GUIDES[section]})."
        rows = list(_rows(section, getattr(defaults, section), also))
        head = ("setting", "what it is", "takes", "default", "variable")
        parts += [f"## {section}", guide, table(head, rows)]
    return "\n\n".join(parts) + "\n"


def _rows(section: str, defaults: Any, also: dict[str, list[str]]) -> Iterator[tuple[str, str, str, str, str]]:
    for name in type(defaults).model_fields:
        key = f"{section}.{name}"
        takes = allowed(key).split(" (")[0]
        names = ", ".join(code(each) for each in (variable(key), *also.get(key, ())))
        yield code(key), plain_text(str(FIELDS[key].description)), takes, _default(getattr(defaults, name)), names


def _default(value: Any) -> str:
    if value is None or value in ("", ()):
        return ""
    if isinstance(value, bool | dict):
        return code(json.dumps(value))
    if isinstance(value, tuple):
        return code(",".join(map(str, value)))
    if isinstance(value, Path) and value.is_relative_to(Path.home()):
        return code(f"~/{value.relative_to(Path.home())}")
    return code(str(value))
