"""`Equipment`: what a mind acts with: its tools behind their gate, its moves, its database, its tasks and timers."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
from dataclasses import dataclass

from reachy_mind import log
from reachy_mind.config import Configuration
from reachy_mind.database import Database
from reachy_mind.events import Bus
from reachy_mind.motion.repertoire import Repertoire
from reachy_mind.tools.audit import Audit
from reachy_mind.tools.builtin import ALIASES, TOOLS
from reachy_mind.tools.confirmations import Confirmations
from reachy_mind.tools.context import Parts
from reachy_mind.tools.permissions import Permissions
from reachy_mind.tools.registry import Registry
from reachy_mind.tools.rulebook import Rulebook
from reachy_mind.tools.tasks import MOST, Tasks
from reachy_mind.tools.timers import Timers
from reachy_mind.tools.toolbox import Toolbox

_log = log.get(__name__)


@dataclass(frozen=True)
class Equipment:
    """Ready to use. What only the body can do is refused until there is one: `toolbox.parts.motion`."""

    database: Database
    audit: Audit
    toolbox: Toolbox
    confirmations: Confirmations
    repertoire: Repertoire
    tasks: Tasks
    timers: Timers

    async def cut_short(self) -> list[str]:
        """What was under way when the program died last time, in words; told once, and only to the owner."""
        calls = [
            f"{call['tool']} ({'a question to you' if call['step'] == 'asked' else 'running'})"
            for call in await self.audit.recover()
        ]
        return calls + [f"{task.description} (in the background)" for task in self.tasks.cut_short]


async def equip(
    configuration: Configuration, bus: Bus, stack: contextlib.AsyncExitStack, *, owner: bool, words: bool = True
) -> Equipment:
    """All of it, until `stack` is closed. `owner`: whose tasks run here; `words`: the audit keeps those of calls.

    Raises DatabaseError.
    """
    home, settings = configuration.home, configuration.settings.tools
    permissions = Permissions(home.permissions_file)
    database = await stack.enter_async_context(Database(home.database_file))
    tasks = await stack.enter_async_context(Tasks(database, bus, most=MOST if owner else 0, recover=owner))
    timers = await stack.enter_async_context(Timers(database, bus, announce=False))
    repertoire = Repertoire(home.moves_folder)
    parts = Parts(configuration, bus, database, repertoire=repertoire, tasks=tasks, timers=timers)
    registry = Registry((), ALIASES)
    await _load_guests(registry, configuration, stack)
    for tool in TOOLS:
        registry.add(tool)
    registry.load_entry_points()
    confirmations = Confirmations(bus, wait_s=settings.confirm_s)
    audit = Audit(database, words=words)
    parts.rulebook = Rulebook(permissions, registry)
    toolbox = Toolbox(registry, permissions, confirmations, audit, parts)
    await audit.prune(settings.audit_days)
    return Equipment(database, audit, toolbox, confirmations, repertoire, tasks, timers)


async def _load_guests(registry: Registry, configuration: Configuration, stack: contextlib.AsyncExitStack) -> None:
    """The user's own tools come first: of two with the same name theirs is meant."""
    folder = configuration.settings.tools.folder
    if folder is None:
        return
    guests = await asyncio.to_thread(importlib.import_module, "reachy_mind.tools.guests")
    loaded = await asyncio.to_thread(guests.load_folder, folder.expanduser(), source="profile folder")
    stack.callback(loaded.close)
    for tool in loaded.tools:
        registry.add(tool)
    registry.refused |= loaded.refused
    for name, reason in loaded.refused.items():
        _log.warning("a tool was left out", tool=name, reason=reason)
