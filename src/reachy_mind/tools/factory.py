"""`build_toolbox`: builds the toolbox with database, audit, confirmations, tasks and timers; registers the tools."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
from dataclasses import dataclass

from reachy_mind import log
from reachy_mind.config.configuration import Configuration
from reachy_mind.events import Bus
from reachy_mind.motion.repertoire import Repertoire
from reachy_mind.storage.database import Database
from reachy_mind.tools.audit import Audit, AuditCheck
from reachy_mind.tools.builtin import ALIASES, TOOLS
from reachy_mind.tools.confirmations import Confirmations
from reachy_mind.tools.context import Parts
from reachy_mind.tools.permissions import Permissions
from reachy_mind.tools.permissions_file import PermissionsFile
from reachy_mind.tools.registry import Registry
from reachy_mind.tools.tasks import MAX_RUNNING, Tasks
from reachy_mind.tools.timers import Timers
from reachy_mind.tools.toolbox import Toolbox

_log = log.get(__name__)


@dataclass(frozen=True)
class ToolboxParts:
    """The toolbox and its parts. Tools that need the body fail until `toolbox.parts.motion` is set."""

    database: Database
    audit: Audit
    toolbox: Toolbox
    confirmations: Confirmations
    repertoire: Repertoire
    tasks: Tasks
    timers: Timers

    async def interrupted(self) -> list[str]:
        """What a crash interrupted, in words. Returned once; for the owner process only."""
        calls = [
            f"{call['tool']} ({'a question to you' if call['step'] == 'asked' else 'running'})"
            for call in await self.audit.recover()
        ]
        return calls + [f"{task.description} (in the background)" for task in self.tasks.interrupted]


async def build_toolbox(
    configuration: Configuration, bus: Bus, stack: contextlib.AsyncExitStack, *, owner: bool, keep_content: bool = True
) -> ToolboxParts:
    """Build everything; `stack` closes it. `owner`: background tasks may run here; `keep_content`: see `Audit`.

    Raises DatabaseError.
    """
    home, settings = configuration.home, configuration.settings.tools
    permissions = Permissions(home.permissions_file)
    database = await stack.enter_async_context(Database(home.database_file))
    tasks = await stack.enter_async_context(
        Tasks(database, bus, max_running=MAX_RUNNING if owner else 0, recover=owner)
    )
    timers = await stack.enter_async_context(Timers(database, bus, announce=False))
    repertoire = Repertoire(home.moves_folder)
    parts = Parts(configuration, bus, database, repertoire=repertoire, tasks=tasks, timers=timers)
    registry = Registry((), ALIASES)
    await _load_user_tools(registry, configuration, stack)
    for tool in TOOLS:
        registry.add(tool)
    registry.load_entry_points()
    confirmations = Confirmations(bus, timeout_s=settings.confirm_s)
    audit = Audit(database, keep_content=keep_content)
    parts.permissions_file = PermissionsFile(permissions, registry)
    toolbox = Toolbox(registry, permissions, confirmations, audit, parts)
    stack.push_async_callback(audit.aclose)
    if owner:
        await audit.verify_at_start()
        await stack.enter_async_context(AuditCheck(database.file))
    await audit.prune(settings.audit_days)
    return ToolboxParts(database, audit, toolbox, confirmations, repertoire, tasks, timers)


async def _load_user_tools(registry: Registry, configuration: Configuration, stack: contextlib.AsyncExitStack) -> None:
    """Register the user's own tools, before all others: the first of a name wins."""
    folder = configuration.settings.tools.folder
    if folder is None:
        return
    conversation_app = await asyncio.to_thread(importlib.import_module, "reachy_mind.tools.conversation_app")
    loaded = await asyncio.to_thread(conversation_app.load_folder, folder.expanduser(), source="profile folder")
    stack.callback(loaded.close)
    for tool in loaded.tools:
        registry.add(tool)
    registry.refused |= loaded.refused
    for name, reason in loaded.refused.items():
        _log.warning("a tool was left out", tool=name, reason=reason)
