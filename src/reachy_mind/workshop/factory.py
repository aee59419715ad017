"""`open_workshop`: the sandbox, the shelf and their tools, wired for one mind."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace

from reachy_mind.brains.selection import understanding
from reachy_mind.config.configuration import Configuration
from reachy_mind.tools.builtin.workshop import approve_tool, create_tool
from reachy_mind.tools.toolbox import Toolbox
from reachy_mind.workshop.author.author import ToolAuthor
from reachy_mind.workshop.author.on_demand import OnDemandAuthor
from reachy_mind.workshop.code_tool import run_code_tool
from reachy_mind.workshop.creation import ToolCreation
from reachy_mind.workshop.generated_tools import ShelfTools
from reachy_mind.workshop.lifecycle import ToolLifecycle
from reachy_mind.workshop.served_requests import ServedRequests
from reachy_mind.workshop.shelf.shelf import Shelf
from reachy_mind.workshop.version_trial import VersionTrials
from reachy_mind.workshop.workshop import Workshop


@dataclass(frozen=True)
class WorkshopParts:
    """What a mind uses of the workshop."""

    workshop: Workshop
    generated: ShelfTools


async def open_workshop(
    configuration: Configuration,
    toolbox: Toolbox,
    stack: contextlib.AsyncExitStack,
    *,
    owner: bool,
    author: ToolAuthor | None = None,
) -> WorkshopParts:
    """Start the workshop and register its tools and the generated ones. `owner` and `author`: see `Mind`."""
    registry = toolbox.registry
    workshop = await stack.enter_async_context(Workshop(configuration))
    generated = ShelfTools(Shelf(configuration.home.shelf_folder), registry, workshop)
    registry.add(run_code_tool(workshop, registry))
    if author is None:
        author = on_demand = OnDemandAuthor(configuration)
        stack.push_async_callback(on_demand.aclose)
    creation = ToolCreation(configuration, workshop, generated.shelf, registry, author)
    served = ServedRequests(lambda: understanding(configuration).plan, generated)
    trials = VersionTrials(configuration, workshop, generated.shelf, registry)
    lifecycle = ToolLifecycle(creation, generated, served, trials)
    toolbox.parts.workshop = lifecycle
    registry.add(replace(create_tool, serves=served), replace=True)
    registry.add(replace(approve_tool, question=lifecycle.question), replace=True)
    await generated.start(recover=owner)
    return WorkshopParts(workshop, generated)
