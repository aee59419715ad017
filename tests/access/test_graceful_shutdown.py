"""Graceful shutdown: running requests finish, new ones are rejected, and WebSockets are closed with a reason."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from reachy_mind.access import connections
from reachy_mind.access.loopback import listen
from reachy_mind.access.rejections import Rejections
from reachy_mind.access.tokens import Tokens
from reachy_mind.brains.brain import Said, Thought, Turn
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.mind import Mind
from reachy_mind.server.app import Server
from reachy_mind.storage.home import Home
from tests.waiting import until


class Patient:
    """A brain that answers when the test says so."""

    name = "patient"

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.thinking = False

    async def think(self, _: Turn) -> AsyncIterator[Thought]:
        self.thinking = True
        await self.go.wait()
        yield Said("There it is.")


async def test_running_requests_finish_and_new_ones_are_rejected() -> None:
    brain, listener = Patient(), listen(0)
    place = f"127.0.0.1:{listener.getsockname()[1]}"
    async with Mind(robot="none", brain=brain).session() as mind:
        server = Server(mind)
        serving_task = asyncio.create_task(server.serve(sockets=[listener]))
        async with (
            connect(f"ws://{place}/api/v1/ws/events", proxy=None) as events,
            httpx.AsyncClient(base_url=f"http://{place}", trust_env=False, timeout=30) as http,
        ):
            answering = asyncio.create_task(http.post("/api/v1/chat", json={"message": "what is it?"}))
            await until(lambda: brain.thinking)
            draining = asyncio.create_task(server.drain())
            with pytest.raises(ConnectionClosed) as closed:
                await read_all(events)
            assert closed.value.rcvd is not None
            assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (1001, "the mind is ending")
            ready = await http.get("/readyz")
            assert ready.status_code == 503 and "draining" in ready.json()["error"]["hint"]
            assert (await http.get("/healthz")).status_code == 200
            late = await http.post("/api/v1/chat", json={"message": "and this?"})
            assert late.status_code == 503 and late.json()["error"]["code"] == "NOT_READY"
            assert not draining.done(), "it waits for what has begun"
            brain.go.set()
            assert (await answering).json()["response"] == "There it is."
            await draining
            stopped = await http.post("/api/v1/robot/stop")
            assert "robot" in stopped.json()["error"]["message"], "a stop got through"
            server.should_exit = True
            await serving_task


async def read_all(events: object) -> None:
    while True:
        await events.recv()  # type: ignore[attr-defined]


async def test_a_reader_that_does_not_read_holds_nobody_up(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "CLOSE_TIMEOUT_S", 0.05)
    told: list[str] = []

    async def app(_: Any, __: Any, send: Any) -> None:
        await send({"type": "websocket.accept"})
        await asyncio.Event().wait()

    async def stuck(message: Any) -> None:
        if message["type"] == "websocket.close":
            await asyncio.Event().wait()

    async def reads(message: Any) -> None:
        told.append(message["type"])

    async def fails(message: Any) -> None:
        if message["type"] == "websocket.close":
            raise ValueError("a transport that is broken")

    async def nothing() -> Any:
        await asyncio.Event().wait()

    open_ones = connections.OpenConnections(app, Tokens(Home(home)), Rejections())
    scope = {"type": "websocket", "path": "/", "headers": [], "client": ("127.0.0.1", 1)}
    tasks = [asyncio.create_task(open_ones(scope, nothing, send)) for send in (stuck, fails, reads)]
    await until(lambda: open_ones.count == 3 and told)
    async with asyncio.timeout(10):
        await open_ones.close_all("the mind is ending")
    await until(tasks[0].done)
    assert told == ["websocket.accept", "websocket.close"]
    for task in tasks[1:]:
        await cancel_and_wait(task)
