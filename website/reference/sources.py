"""`gather`: what a mind without a robot, and a control plane without devices, know about themselves."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from fastapi.routing import APIWebSocketRoute

from reachy_mind import log
from reachy_mind.config.configuration import Configuration, load
from reachy_mind.fleet.control.app import ControlApp
from reachy_mind.fleet.control.bus import LocalBus
from reachy_mind.fleet.control.hub import DeviceHub
from reachy_mind.fleet.control.metrics import MeasuredStore
from reachy_mind.fleet.control.plane import ControlPlane
from reachy_mind.fleet.control.store.sqlite import SqliteStore
from reachy_mind.mind import Mind
from reachy_mind.server.app import RESOURCES, AsgiApp
from reachy_mind.tools.definition import Tool

Description = Mapping[str, Any]
"""An OpenAPI description."""


@dataclass(frozen=True)
class Sources:
    """`aliases`: other names of tools, by their bare name; `sockets`: what each WebSocket is for, by its path."""

    tools: tuple[Tool, ...]
    aliases: Mapping[str, tuple[str, ...]]
    api: Description
    sockets: Mapping[str, str]
    fleet_api: Description


def gather() -> Sources:
    """Ask them, in a data folder of their own: no setting of this machine has an influence."""
    with tempfile.TemporaryDirectory(prefix="reachy-mind-reference-") as folder:
        log.configure("error")
        return asyncio.run(_gather(Path(folder)))


async def _gather(folder: Path) -> Sources:
    models = load().models_folder
    environment = {name: value for name, value in os.environ.items() if name in ("HOME", "PATH")}
    environment |= {"REACHY_MIND_HOME": str(folder / "home"), "REACHY_MIND_MODELS__FOLDER": str(models)}
    configuration = load(environ=environment, folder=folder, flags={"robot.address": "none", "mind.brain": "reflex"})
    async with Mind(configuration, thinks=False).session() as mind:
        registry = mind.toolbox.registry
        return Sources(
            tools=tuple(registry),
            aliases={tool.name: registry.aliases_of(tool.name) for tool in registry},
            api=await _description(AsgiApp(mind, in_process=True)),
            sockets=_sockets(mind),
            fleet_api=await _fleet_description(configuration),
        )


async def _description(app: Any) -> Description:
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        response = await client.get("/openapi.json")
    found: Description = response.raise_for_status().json()
    return found


def _sockets(mind: Mind) -> dict[str, str]:
    routes = (route for part in RESOURCES for route in part.router(mind).routes)
    return {
        route.path: inspect.getdoc(route.endpoint) or "" for route in routes if isinstance(route, APIWebSocketRoute)
    }


async def _fleet_description(configuration: Configuration) -> Description:
    async with contextlib.AsyncExitStack() as stack:
        home = configuration.home.folder
        store = await stack.enter_async_context(MeasuredStore(SqliteStore(home / "reference.db")))
        bus = await stack.enter_async_context(LocalBus())
        hub = await stack.enter_async_context(DeviceHub(store, bus, "reference"))
        plane = ControlPlane(store, bus, hub, "http://127.0.0.1:8700")
        app = await stack.enter_async_context(ControlApp(plane))
        found: Description = app.app.openapi()
        return found
