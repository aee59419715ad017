"""The robot's own tools behind a gate of their own."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from reachy_mind.config.configuration import load
from reachy_mind.events import Bus
from reachy_mind.motion.client import Motion
from reachy_mind.motion.repertoire import Repertoire
from reachy_mind.storage.database import Database
from reachy_mind.tools.audit import Audit
from reachy_mind.tools.builtin import ALIASES, TOOLS
from reachy_mind.tools.confirmations import Confirmations
from reachy_mind.tools.context import Parts
from reachy_mind.tools.permissions import Permissions
from reachy_mind.tools.registry import Registry
from reachy_mind.tools.tasks import Tasks
from reachy_mind.tools.toolbox import Toolbox


@contextlib.asynccontextmanager
async def toolbox(folder: Path, motion: Motion | None = None) -> AsyncIterator[Toolbox]:
    """All built-in tools, over this robot or none."""
    bus = Bus()
    async with Database(folder / "mind.db") as database, Tasks(database, bus) as tasks:
        parts = Parts(load(), bus, database, motion, Repertoire(folder / "moves"), tasks)
        yield Toolbox(Registry(TOOLS, ALIASES), Permissions(), Confirmations(bus), Audit(database), parts)


async def done(box: Toolbox, name: str, /, **args: Any) -> dict[str, Any]:
    """What a call answers that goes well."""
    outcome = await box.call(name, args)
    assert outcome.status == "ok", (name, args, outcome.error)
    assert isinstance(outcome.data, dict) and outcome.data["message"].endswith(".")
    return outcome.data


async def refused(box: Toolbox, name: str, /, **args: Any) -> tuple[str, str]:
    """Code and hint of one that does not."""
    outcome = await box.call(name, args)
    assert outcome.status == "error" and outcome.error is not None, (name, args, outcome.data)
    return outcome.error["code"], outcome.error["hint"]
