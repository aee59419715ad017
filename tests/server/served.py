"""A mind behind its server: called without a network, or over a real socket on this machine."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect

from reachy_mind.access.loopback import listen
from reachy_mind.mind import Mind
from reachy_mind.server.app import AsgiApp, Server

Told = dict[str, Any]
EVENT_TIMEOUT_S = 20.0


@contextlib.asynccontextmanager
async def calling(mind: Mind) -> AsyncIterator[httpx.AsyncClient]:
    """The REST API without a network; an exception in a route is a response, as over a network."""
    transport = httpx.ASGITransport(AsgiApp(mind), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1/api/v1") as http:
        yield http


@contextlib.asynccontextmanager
async def serving(mind: Mind) -> AsyncIterator[str]:
    """The server as `run` starts it, on a free port; `127.0.0.1:PORT`."""
    server = Server(mind)
    listener = listen(0)
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield f"127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        await task


class Socket:
    """A socket of the API: frames out, events in. What was read is in `heard`."""

    def __init__(self, raw: ClientConnection) -> None:
        self.raw = raw
        self.heard: list[Told] = []

    async def send(self, frame: Told | str | bytes) -> None:
        await self.raw.send(json.dumps(frame) if isinstance(frame, dict) else frame)

    async def until(self, kind: str, **about: Any) -> Told:
        """The next event of this type that has these values."""
        async with asyncio.timeout(EVENT_TIMEOUT_S):
            while True:
                event: Told = json.loads(await self.raw.recv())
                self.heard.append(event)
                if event["type"] == kind and all(event.get(key) == value for key, value in about.items()):
                    return event

    async def say(self, text: str) -> Told:
        """Say something; returns the end of the answer."""
        await self.send({"type": "say", "message": text})
        return await self.until("done")


@contextlib.asynccontextmanager
async def socket(place: str, route: str = "chat", query: str = "") -> AsyncIterator[Socket]:
    async with connect(f"ws://{place}/api/v1/ws/{route}{query}", proxy=None, max_size=None, max_queue=None) as raw:
        yield Socket(raw)
