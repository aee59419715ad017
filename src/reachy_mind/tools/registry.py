"""`Registry`: where tools are registered (`add`) and found by name.

Tools are registered in this order, and the first of a name wins: folders of profiles the user trusts, the built-in
tools, packages with an entry point in `reachy_mind.tools` (a `Tool`, a module or a function that returns some). What
can't be loaded is left out, with the reason in `refused`. A tool shadowed by one of the same name in another group is
not offered, but its qualified name still finds it: a profile's own `sleep` can call `robot.sleep`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import ModuleType
from typing import Any

from reachy_mind import log
from reachy_mind.config.plugins import TOOLS
from reachy_mind.errors import MindError
from reachy_mind.tools.act_table import acts_of
from reachy_mind.tools.definition import Alias, Tool
from reachy_mind.tools.permissions import qualified

_log = log.get(__name__)


class UnknownTool(MindError):
    """There is no tool of this name."""

    code = "UNKNOWN_TOOL"


class Registry:
    """Tools by name: bare (`nod`), qualified (`robot.nod`), in MCP form (`mcp__robot__nod`) or an alias."""

    def __init__(self, tools: Iterable[Tool] = (), aliases: Iterable[Alias] = ()) -> None:
        self._tools: dict[str, Tool] = {}
        self._aliases: dict[str, Alias] = {}
        self._shadowed: dict[str, Tool] = {}
        self.refused: dict[str, str] = {}
        for tool in tools:
            self.add(tool)
        for alias in aliases:
            self._aliases[alias.name] = alias

    def add(self, tool: Tool, *, replace: bool = False) -> bool:
        """Register a tool. Returns False when the name is taken, unless `replace`.

        A tool of an MCP server does not take a name that is another name of ours either.
        """
        taken = self._tools.get(self._aliases[tool.name].target) if tool.remote and tool.name in self._aliases else None
        taken = self._tools.get(tool.name, taken)
        if taken is not None and not replace:
            self.refused[tool.name] = f"there is one of that name already, from {taken.source}"
            self._shadowed.setdefault(tool.qualified, tool)
            return False
        self._tools[tool.name] = tool
        return True

    def remove(self, name: str) -> None:
        self._tools.pop(name, None)

    def remove_source(self, source: str) -> None:
        """Unregister every tool of a source, and forget why others of it were refused."""
        for key in [key for key, tool in self._tools.items() if tool.source == source]:
            del self._tools[key]
        for key, tool in [(key, tool) for key, tool in self._shadowed.items() if tool.source == source]:
            del self._shadowed[key]
            self.refused.pop(tool.name, None)

    def override(self, tools: Iterable[Tool], refused: Mapping[str, str]) -> Callable[[], None]:
        """Register tools that shadow others of the same name. Call the returned function to undo it."""
        overrides = {tool.name: tool for tool in tools}
        before = {name: self._tools[name] for name in overrides if name in self._tools}
        self._tools |= overrides
        self._shadowed |= {tool.qualified: tool for tool in before.values()}
        self.refused |= refused

        def restore() -> None:
            for name in overrides:
                self.remove(name)
            self._tools |= before
            for tool in before.values():
                self._shadowed.pop(tool.qualified, None)
            for name in refused:
                self.refused.pop(name, None)

        return restore

    def find(self, name: str) -> tuple[Tool, Alias | None]:
        """The tool of this name, and the alias that led to it. Raises UnknownTool."""
        word = qualified(name.strip())
        group, dot, bare = word.rpartition(".")
        if word in self._shadowed and getattr(self._tools.get(bare), "group", "") != group:
            return self._shadowed[word], None
        alias = self._aliases.get(bare) if bare not in self._tools else None
        target = alias.target if alias else bare
        tool = self._tools.get(target)
        if dot and tool is not None and group != tool.group:
            tool = self._shadowed.get(f"{group}.{target}")  # an alias of one that is shadowed
        if tool is None or (dot and group != tool.group):
            import difflib  # noqa: PLC0415 -- only for a misspelt name

            near = difflib.get_close_matches(bare, [*self._tools, *self._aliases], n=2, cutoff=0.6)
            hint = f"did you mean {' or '.join(near)}?" if near else "reachy-mind tools list"
            raise UnknownTool(f"no tool called {name[:80]!r}", hint=hint)
        return tool, alias

    def other_names(self, tool: Tool) -> tuple[str, ...]:
        """Other names a permission rule may use for a tool: its aliases, and the tools that do the same."""
        return (*self.aliases_of(tool.name), *acts_of(tool).same_as)

    def aliases_of(self, name: str) -> tuple[str, ...]:
        """The aliases of a built-in tool, by its bare name."""
        return tuple(alias.name for alias in self._aliases.values() if alias.target == name)

    def __iter__(self) -> Any:
        return iter(sorted(self._tools.values(), key=lambda tool: tool.qualified))

    def __len__(self) -> int:
        return len(self._tools)

    def load_entry_points(self) -> None:
        """Tools of other installed packages."""
        for point in TOOLS.entry_points():
            try:
                for tool in _collect_tools(point.load(), f"entry point {point.name}"):
                    self.add(tool)
            except Exception as error:  # noqa: BLE001 -- other packages may raise anything
                self.refused[point.name] = f"{type(error).__name__}: {error}"
                _log.warning("tools of a package can't be loaded", package=point.value, reason=self.refused[point.name])


def _collect_tools(found: object, source: str) -> list[Tool]:
    from dataclasses import replace  # noqa: PLC0415

    if isinstance(found, Tool):
        return [replace(found, source=source)]
    if isinstance(found, ModuleType):
        members: Iterable[object] = vars(found).values()
    elif isinstance(found, Callable):  # type: ignore[arg-type]
        members = found()  # type: ignore[operator]
    else:
        raise TypeError(f"{type(found).__name__} is no tool, module or function")
    return [replace(member, source=source) for member in members if isinstance(member, Tool)]
