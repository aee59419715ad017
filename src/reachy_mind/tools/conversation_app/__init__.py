"""Loads tools written for the vendor's conversation app ("guest tools") and runs them unchanged.

    loaded = await asyncio.to_thread(load_folder, folder, source="profile poet")
    for tool in loaded.tools: registry.add(tool)        # before the built-in tools: the first of a name wins

Every `*.py` of the folder is imported: classes and instances of the class form (see `forms`), and functions with
`@tool`. The class form runs in threads of its own (`threads`) and sees the robot through views (`body`); functions with
`@tool` run in the main event loop like the built-in tools. The caller decides which folder is trusted; a folder that
other users can write to is refused.
"""

from __future__ import annotations

import inspect
import sys
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from reachy_mind import log
from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.tools.conversation_app import forms
from reachy_mind.tools.conversation_app.imports import open_package, require_private
from reachy_mind.tools.conversation_app.threads import ToolThreads, run_in_thread
from reachy_mind.tools.definition import Tool

IMPORT_TIMEOUT_S = 20.0
"""Timeout for one file, whose imports may be large."""

_log = log.get(__name__)


@dataclass
class Loaded:
    """The tools of a folder, and what was refused: by file or `FILE:CLASS`, with the reason."""

    threads: ToolThreads
    tools: list[Tool] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)

    def close(self) -> None:
        """End the threads of these tools; a busy thread ends when its tool returns."""
        self.threads.close()

    def refuse(self, what: str, why: MindError) -> None:
        self.refused[what] = f"{why.message} ({why.hint})" if why.hint else why.message
        _log.warning("a tool can't be loaded", file=what, reason=self.refused[what])


def load_folder(folder: Path, *, source: str) -> Loaded:
    """Load all tools of a trusted folder. Runs their code, may take a while, and does not raise for their errors."""
    loaded = Loaded(ToolThreads(source))
    try:
        place = folder.resolve(strict=True)
        require_private(place)
        files = sorted(file for file in place.glob("*.py") if file.stem.isidentifier() and file.stem != "__init__")
    except OSError as error:
        loaded.refuse(str(folder), MindError(error.strerror or str(error)))
        return loaded
    except MindError as error:
        loaded.refuse(str(folder), error)
        return loaded
    if files:
        package = open_package(place)
        for file in files:
            _load(f"{package}.{file.stem}", file.name, source, loaded)
    return loaded


def _load(module_name: str, file: str, source: str, loaded: Loaded) -> None:
    try:
        found = run_in_thread(lambda: _load_file(module_name, file, source, loaded.threads), IMPORT_TIMEOUT_S, file)
    except MindError as error:
        loaded.refuse(file, error)
        return
    for what, tool in found:
        if isinstance(tool, MindError):
            loaded.refuse(what, tool)
        elif any(tool.name == other.name for other in loaded.tools):
            loaded.refuse(what, InvalidParameter(f"there is one called {tool.name} in this folder already"))
        else:
            loaded.tools.append(tool)


def _load_file(module_name: str, file: str, source: str, threads: ToolThreads) -> list[tuple[str, Tool | MindError]]:
    """The tools of one file. Runs in a thread of its own, because all of it is guest code."""
    module = sys.modules.get(module_name) or import_module(module_name)
    found: list[tuple[str, Tool | MindError]] = []
    for what, guest in _candidates(module):
        try:
            if isinstance(guest, Tool):
                forms.require_free(guest.name)
                tool = replace(guest, group=forms.GROUP, tier=None, source=source)
            else:
                tool = forms.build_tool(guest() if isinstance(guest, type) else guest, source=source, threads=threads)
            found.append((f"{file}:{what}", tool))
        except MindError as error:
            found.append((f"{file}:{what}", error))
        except Exception as error:  # noqa: BLE001 -- guest constructors and properties may raise anything
            found.append((f"{file}:{what}", MindError(f"{type(error).__name__}: {error}"[:500])))
    return found


def _candidates(module: ModuleType) -> list[tuple[str, Any]]:
    """`@tool` functions and instances in the file, then its tool classes without an instance."""
    members = [(name, member) for name, member in vars(module).items() if not name.startswith("__")]
    ready = [
        (name, member)
        for name, member in members
        if isinstance(member, Tool) or (_defined_in(type(member), module) and forms.has_form(member))
    ]
    kinds = {type(member) for _, member in ready}
    classes = [
        (name, member)
        for name, member in members
        if inspect.isclass(member) and _defined_in(member, module) and forms.has_form(member) and member not in kinds
    ]
    return [*ready, *classes]


def _defined_in(kind: type, module: ModuleType) -> bool:
    return kind.__module__ == module.__name__
