"""The server's end: what has begun may end, nothing new begins, and whoever listens is told why. And its figures."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from reachy_mind.brains.thought import Said, Thought, Turn
from reachy_mind.config import Home
from reachy_mind.ending import ended
from reachy_mind.loopback import listen
from reachy_mind.mind import Mind
from reachy_mind.server import sockets
from reachy_mind.server.app import Server
from reachy_mind.server.refusals import Refusals
from reachy_mind.tokens import Tokens
from tests.server.served import serving, socket
from tests.tools.bench import wait_until


class Patient:
    """A brain that answers when it is let."""

    name = "patient"

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.thinking = False

    async def think(self, _: Turn) -> AsyncIterator[Thought]:
        self.thinking = True
        await self.go.wait()
        yield Said("There it is.")


async def test_an_end_in_good_order() -> None:
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
            await wait_until(lambda: brain.thinking)
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
    monkeypatch.setattr(sockets, "CLOSES_S", 0.05)
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

    open_ones = sockets.Sockets(app, Tokens(Home(home)), Refusals())
    scope = {"type": "websocket", "path": "/", "headers": [], "client": ("127.0.0.1", 1)}
    tasks = [asyncio.create_task(open_ones(scope, nothing, send)) for send in (stuck, fails, reads)]
    await wait_until(lambda: open_ones.count == 3 and told)
    async with asyncio.timeout(10):
        await open_ones.end("the mind is ending")
    await wait_until(tasks[0].done)
    assert told == ["websocket.accept", "websocket.close"]
    for task in tasks[1:]:
        await ended(task)


async def test_figures_tell_what_happened_and_each_is_documented() -> None:
    documented = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text()
    async with Mind(robot="none").session() as mind, serving(mind) as place, socket(place) as chat:
        await chat.say("what time is it?")
        await chat.say("nod")
        async with httpx.AsyncClient(base_url=f"http://{place}", trust_env=False) as http:
            await http.get("/api/v1/no/such/thing")
            await http.get("/api/v1/session/nobody")
            text = (await http.get("/metrics")).text
    figures = dict(re.findall(r"^(reachy_mind_\S+(?:\{.*\})?) (\S+)$", text, re.MULTILINE))
    assert figures['reachy_mind_turns_total{brain="reflex",outcome="done",spoken="no"}'] == "2.0"
    assert figures['reachy_mind_turn_seconds_count{brain="reflex",stage="first"}'] == "2.0"
    assert figures['reachy_mind_tool_calls_total{status="ok",tool="time.get_time"}'] == "1.0"
    assert figures['reachy_mind_tool_calls_total{status="error",tool="robot.nod"}'] == "1.0"
    assert figures['reachy_mind_requests_total{method="other",route="other",status="404"}'] == "1.0"
    route = "/api/v1/session/{session_id}"
    assert figures[f'reachy_mind_requests_total{{method="GET",route="{route}",status="404"}}'] == "1.0"
    assert figures['reachy_mind_robot_link{state="none"}'] == "1.0" and figures["reachy_mind_sockets"] == "1.0"
    for name in re.findall(r"^# TYPE (reachy_mind_\w+)", text, re.MULTILINE):
        assert f"`{name}" in documented, name
