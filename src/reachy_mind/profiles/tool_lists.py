"""Resolves the tool list of a profile: the lines of its `tools.txt`, or the list in its `profile.md`.

A line is a tool by any of its names (`nod`, `robot.nod`, `play_emotion`), a glob (`robot.*`, `*`), or a tool in the
profile's own folder. A tool of a Space of the conversation app (`SPACE__get_weather`) resolves to ours of that name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from reachy_mind.profiles.profile import matches
from reachy_mind.profiles.texts import Texts
from reachy_mind.tools.definition import NAME
from reachy_mind.tools.permissions import qualified
from reachy_mind.tools.registry import Registry, UnknownTool

MOST_TOOLS = 300
_PATTERN = re.compile(r"[a-z0-9_*]+(?:\.[a-z0-9_*]+)?")


@dataclass(frozen=True)
class ToolList:
    """`names`: bare names in order, matches of patterns included; `patterns`: for tools registered later; `own`: the
    names whose Python is in the profile's own folder."""

    names: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    own: tuple[str, ...] = ()


def shipped_tools(shipped: Path) -> dict[str, Path]:
    """Tool names of the shipped profiles with their folders: any profile may list them."""
    return {file.stem: file.parent for file in sorted(shipped.glob("*/*.py"))}


def tool_list(
    lines: Iterable[tuple[int, str]], file: str, texts: Texts, registry: Registry, shipped: Iterable[str]
) -> ToolList:
    """Resolve numbered lines; unknown entries are noted as problems."""
    names: dict[str, None] = {}
    patterns: dict[str, None] = {}
    own: dict[str, None] = {}
    for count, (number, entry) in enumerate(lines):
        if count >= MOST_TOOLS:
            texts.note(file, f"more than {MOST_TOOLS} tools: the rest was left out", number)
            break
        if "*" in entry and _PATTERN.fullmatch(entry):
            pattern = qualified(entry)
            patterns[pattern] = None
            names |= dict.fromkeys(tool.name for tool in registry if not tool.hidden and matches(pattern, tool))
        elif _is_file(texts.folder, entry):
            names[entry] = own[entry] = None
        elif found := _registered(entry, registry):
            names[found] = None
        elif entry in shipped:
            names[entry] = None
        else:
            texts.note(file, _unknown_problem(entry, registry), number)
    return ToolList(tuple(names), tuple(patterns), tuple(own))


def _is_file(folder: Path, name: str) -> bool:
    return NAME.fullmatch(name) is not None and (folder / f"{name}.py").is_file()


def _registered(entry: str, registry: Registry) -> str:
    for name in (entry, entry.rpartition("__")[2]):
        try:
            return registry.find(name)[0].name
        except UnknownTool:
            continue
    return ""


def _unknown_problem(entry: str, registry: Registry) -> str:
    try:
        registry.find(entry)
    except UnknownTool as error:
        similar = f" ({error.hint})" if "did you mean" in error.hint else ""
        return f"there is no tool called {entry[:60]!r}{similar}"
    return ""
