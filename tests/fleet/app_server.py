"""The whole app of a node on loopback, as `fleet serve` runs it: for programs that talk to it over a network."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import uvicorn

from reachy_mind.fleet.control.connection_protocols import FleetHttpProtocol, FleetSocketProtocol
from reachy_mind.fleet.control.store.store import FleetStore
from reachy_mind.fleet.protocol.limits import MAX_BINARY_BYTES
from tests.fleet.conftest import ControlNode, control_node
from tests.waiting import until


@dataclass
class AppServer:
    """`control`: what it serves."""

    control: ControlNode
    port: int
    scheme: str

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}"

    async def code(self, name: str) -> str:
        """A one-time code for a new device of this name."""
        made = await self.control.ok("POST", "enrolments", {"name": name})
        return str(made["code"])


@contextlib.asynccontextmanager
async def app_server(store: FleetStore, *, tls: ssl.SSLContext | None = None, **about: Any) -> AsyncIterator[AppServer]:
    """A node that answers until the context ends; `about`: for its `ControlApp`."""
    async with control_node(store, **about) as control:
        config = uvicorn.Config(
            control.app,
            port=0,
            log_config=None,
            lifespan="off",
            http=FleetHttpProtocol,
            ws=FleetSocketProtocol,
            ws_per_message_deflate=False,
            ws_max_size=MAX_BINARY_BYTES,
            ssl_context_factory=(lambda _config, _default: tls) if tls is not None else None,
        )
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve())
        await until(lambda: server.started)
        port = server.servers[0].sockets[0].getsockname()[1]
        try:
            yield AppServer(control, port, "https" if tls else "http")
        finally:
            await control.app.drain()
            server.should_exit = True
            await serving
