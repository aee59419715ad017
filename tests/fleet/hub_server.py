"""A hub with its WebSockets and its HTTP exchange on loopback, and a client that speaks raw cp1."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from starlette.routing import WebSocketRoute
from websockets.asyncio.client import ClientConnection, connect

from reachy_mind.bench.fleet_servers import free_port
from reachy_mind.errors import MindError
from reachy_mind.fleet.control import device_socket, devices, source_socket
from reachy_mind.fleet.control.bus import LocalBus, NodeBus
from reachy_mind.fleet.control.device_exchange import DeviceExchange
from reachy_mind.fleet.control.devices import Device
from reachy_mind.fleet.control.hub import DeviceHub
from reachy_mind.fleet.control.store.store import FleetStore, Sql
from reachy_mind.fleet.protocol.frame import Frame, decode, encode, new_frame
from reachy_mind.fleet.protocol.limits import ConnectionLimits
from tests.waiting import until

TENANT = "tenant-1"


@dataclass
class HubServer:
    """A node on loopback."""

    hub: DeviceHub
    port: int
    tokens: dict[str, str] = field(default_factory=dict)

    async def device(self, name: str = "kitchen", tenant: str = TENANT) -> Device:
        """A registered device; its token is in `tokens`."""

        def add(sql: Sql) -> tuple[Device, str]:
            sql.run("INSERT INTO tenant (id, name, created_at) VALUES (?, ?, 0) ON CONFLICT DO NOTHING", tenant, tenant)
            made = devices.add(sql, tenant, name)
            return made, devices.new_token(sql, made.id)

        made, token = await self.hub.store.write(add)
        self.tokens[made.id] = token
        return made

    def headers(self, device: Device, **more: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.tokens[device.id]}", **more}

    @contextlib.asynccontextmanager
    async def client(self, device: Device, **hello: Any) -> AsyncIterator[Client]:
        """A connected device, after its welcome."""
        url = f"ws://127.0.0.1:{self.port}{device_socket.PATH}"
        async with connect(
            url, subprotocols=["cp1"], additional_headers=self.headers(device), compression=None, proxy=None
        ) as socket:
            client = Client(socket)
            await client.say("hello", {"device": device.id, "boot": "boot-1", "epoch": "epoch-1", **hello})
            client.welcome = (await client.next("welcome")).p
            yield client


class Client:
    """What a test says and hears as a device."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.heard: list[Frame] = []
        self.welcome: dict[str, Any] = {}

    async def say(self, type_: str, payload: dict[str, Any] | None = None, **fields: Any) -> Frame:
        frame = new_frame(type_, payload, **fields)
        await self.socket.send(encode(frame))
        return frame

    async def next(self, type_: str) -> Frame:
        """The next frame of this type; others are kept in `heard`."""
        async with asyncio.timeout(20):
            while True:
                frame = decode(str(await self.socket.recv()))
                self.heard.append(frame)
                if frame.type == type_:
                    return frame

    async def acked(self, seq: int, field_: str = "ack") -> None:
        """Wait until the hub has stored an event."""
        async with asyncio.timeout(20):
            while not any((getattr(frame, field_) or 0) >= seq for frame in self.heard):
                self.heard.append(decode(str(await self.socket.recv())))

    async def closed(self) -> int:
        """The code with which the hub closes the connection."""
        async with asyncio.timeout(20):
            with contextlib.suppress(Exception):
                while True:
                    await self.socket.recv()
        assert self.socket.close_code is not None
        return self.socket.close_code


@contextlib.asynccontextmanager
async def hub_server(
    store: FleetStore, *, bus: NodeBus | None = None, node: str = "node-1", limits: ConnectionLimits | None = None
) -> AsyncIterator[HubServer]:
    """A node that serves devices until the context ends."""
    generous = limits or ConnectionLimits(rate_per_s=10_000, burst=10_000)
    async with contextlib.AsyncExitStack() as stack:
        used = bus or await stack.enter_async_context(LocalBus())
        hub = await stack.enter_async_context(DeviceHub(store, used, node, generous))
        exchange = await stack.enter_async_context(DeviceExchange(hub))
        app = FastAPI()
        app.include_router(exchange.router())
        app.router.routes.append(WebSocketRoute(device_socket.PATH, device_socket.DeviceSocket(hub)))
        app.router.routes.append(WebSocketRoute(source_socket.PATH, source_socket.SourceSocket(hub)))

        @app.exception_handler(MindError)
        async def failed(_: Request, error: MindError) -> JSONResponse:
            return JSONResponse({"error": error.as_dict()}, 401 if error.code == "UNAUTHORIZED" else 409)

        port = free_port()
        server = uvicorn.Server(
            uvicorn.Config(app, port=port, log_config=None, ws="websockets-sansio", lifespan="off", ws_max_size=4 << 20)
        )
        serving = asyncio.create_task(server.serve())
        await until(lambda: server.started)
        try:
            yield HubServer(hub, port)
        finally:
            await hub.close_all()
            server.should_exit = True
            await serving
