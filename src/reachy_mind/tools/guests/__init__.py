"""Tools written for the conversation app, run unchanged.

    loaded = await asyncio.to_thread(load_folder, folder, source="profile poet")
    for tool in loaded.tools: registry.add(tool)        # before the built-in ones: a profile's own come first

Every `*.py` of the folder is imported: classes and instances of the class form (see `forms`), and tools of ours made
with `@tool`. The class form runs in threads of its own (`threads`) and sees the robot by views (`body`); tools of ours
run in the mind's event loop like the built-in ones. Which folder is trusted is for the caller to say; one that others
could have written into is refused.
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
from reachy_mind.tools.definition import Tool
from reachy_mind.tools.guests import forms
from reachy_mind.tools.guests.imports import opened, require_own
from reachy_mind.tools.guests.threads import Room, apart

IMPORT_S = 20.0
"""For one file: what it imports may be large."""

_log = log.get(__name__)


@dataclass
class Loaded:
    """What a folder had to offer, and what of it was refused, by file (or `FILE:CLASS`), with the reason."""

    room: Room
    tools: list[Tool] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)

    def close(self) -> None:
        """End the threads of its tools, as far as they are free."""
        self.room.close()

    def refuse(self, what: str, why: MindError) -> None:
        self.refused[what] = f"{why.message} ({why.hint})" if why.hint else why.message
        _log.warning("a tool can't be loaded", file=what, reason=self.refused[what])


def load_folder(folder: Path, *, source: str) -> Loaded:
    """All tools in the files of a trusted folder. It runs their code and may take a while; it never raises for it."""
    loaded = Loaded(Room(source))
    try:
        place = folder.resolve(strict=True)
        require_own(place)
        files = sorted(file for file in place.glob("*.py") if file.stem.isidentifier() and file.stem != "__init__")
    except OSError as error:
        loaded.refuse(str(folder), MindError(error.strerror or str(error)))
        return loaded
    except MindError as error:
        loaded.refuse(str(folder), error)
        return loaded
    if files:
        package = opened(place)
        for file in files:
            _load(f"{package}.{file.stem}", file.name, source, loaded)
    return loaded


def _load(module_name: str, file: str, source: str, loaded: Loaded) -> None:
    try:
        found = apart(lambda: _found(module_name, file, source, loaded.room), IMPORT_S, file)
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


def _found(module_name: str, file: str, source: str, room: Room) -> list[tuple[str, Tool | MindError]]:
    """The tools of one file; in a thread of its own, for all of this is code of theirs."""
    module = sys.modules.get(module_name) or import_module(module_name)
    found: list[tuple[str, Tool | MindError]] = []
    for what, guest in _guests(module):
        try:
            if isinstance(guest, Tool):
                forms.require_free(guest.name)
                tool = replace(guest, group=forms.GROUP, tier=None, source=source)
            else:
                tool = forms.made(guest() if isinstance(guest, type) else guest, source=source, room=room)
            found.append((f"{file}:{what}", tool))
        except MindError as error:
            found.append((f"{file}:{what}", error))
        except Exception as error:  # noqa: BLE001 -- their constructors and properties raise what they like
            found.append((f"{file}:{what}", MindError(f"{type(error).__name__}: {error}"[:500])))
    return found


def _guests(module: ModuleType) -> list[tuple[str, Any]]:
    """Tools of ours and instances that the file made itself, then its classes of which it made none."""
    members = [(name, member) for name, member in vars(module).items() if not name.startswith("__")]
    ready = [
        (name, member)
        for name, member in members
        if isinstance(member, Tool) or (_own(type(member), module) and forms.has_form(member))
    ]
    kinds = {type(member) for _, member in ready}
    classes = [
        (name, member)
        for name, member in members
        if inspect.isclass(member) and _own(member, module) and forms.has_form(member) and member not in kinds
    ]
    return [*ready, *classes]


def _own(kind: type, module: ModuleType) -> bool:
    return kind.__module__ == module.__name__
