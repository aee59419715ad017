"""Which tools a profile uses: the lines of its `tools.txt`, or the list in its `profile.md`.

A line is a tool by any of its names (`nod`, `robot.nod`, `play_emotion`), a pattern (`robot.*`, `*`), or the name of a
tool in the profile's own folder. Tools of the conversation app's Spaces (`SPACE__get_weather`) mean ours of that name.
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

MOST = 300
_PATTERN = re.compile(r"[a-z0-9_*]+(?:\.[a-z0-9_*]+)?")


@dataclass(frozen=True)
class ToolList:
    """Bare names in order, those that patterns stand for included; the patterns, for tools that come later; and which
    of the names are in the profile's own folder."""

    names: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    own: tuple[str, ...] = ()


def shipped_tools(shipped: Path) -> dict[str, Path]:
    """Folders of shipped profiles by the tools they bring: any profile may list them."""
    return {file.stem: file.parent for file in sorted(shipped.glob("*/*.py"))}


def tool_list(
    lines: Iterable[tuple[int, str]], file: str, texts: Texts, registry: Registry, shipped: Iterable[str]
) -> ToolList:
    """What the lines mean; those that mean nothing become problems."""
    names: dict[str, None] = {}
    patterns: dict[str, None] = {}
    own: dict[str, None] = {}
    for count, (number, said) in enumerate(lines):
        if count >= MOST:
            texts.note(file, f"more than {MOST} tools: the rest was left out", number)
            break
        if "*" in said and _PATTERN.fullmatch(said):
            pattern = qualified(said)
            patterns[pattern] = None
            names |= dict.fromkeys(tool.name for tool in registry if not tool.hidden and matches(pattern, tool))
        elif _is_file(texts.folder, said):
            names[said] = own[said] = None
        elif found := _known(said, registry):
            names[found] = None
        elif said in shipped:
            names[said] = None
        else:
            texts.note(file, _unknown(said, registry), number)
    return ToolList(tuple(names), tuple(patterns), tuple(own))


def _is_file(folder: Path, name: str) -> bool:
    return NAME.fullmatch(name) is not None and (folder / f"{name}.py").is_file()


def _known(said: str, registry: Registry) -> str:
    for name in (said, said.rpartition("__")[2]):
        try:
            return registry.find(name)[0].name
        except UnknownTool:
            continue
    return ""


def _unknown(said: str, registry: Registry) -> str:
    try:
        registry.find(said)
    except UnknownTool as error:
        near = f" ({error.hint})" if "did you mean" in error.hint else ""
        return f"there is no tool called {said[:60]!r}{near}"
    return ""
