"""`reachy-mind mcp` as a client starts it: what it does when the client, or the mind, does not behave."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from reachy_mind.mcp.config_file import McpConfigFile, McpServerEntry
from reachy_mind.storage.home import Home
from tests.conftest import MODELS
from tests.mcp.house import House, opened
from tests.waiting import until

pytestmark = pytest.mark.process

GREETING = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}


class Raw:
    """A client that says what it likes."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    def say(self, line: str | dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write((line if isinstance(line, str) else json.dumps(line)).encode() + b"\n")

    async def heard(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = await self.process.stdout.readline()
        found: dict[str, Any] = json.loads(line)
        return found

    async def ask(self, number: int, method: str, **params: Any) -> dict[str, Any]:
        self.say({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        return await self.heard()


@contextlib.asynccontextmanager
async def started(home: Path, *arguments: str) -> AsyncIterator[Raw]:
    env = {**os.environ, "REACHY_MIND_HOME": str(home)}
    pipe = asyncio.subprocess.PIPE
    argv = [sys.executable, "-m", "reachy_mind", "mcp", *arguments]
    process = await asyncio.create_subprocess_exec(*argv, env=env, stdin=pipe, stdout=pipe, stderr=pipe, limit=1 << 24)
    try:
        yield Raw(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def greeted(raw: Raw) -> None:
    assert (await raw.ask(1, "initialize", **GREETING))["result"]["serverInfo"]["name"] == "reachy"
    raw.say({"jsonrpc": "2.0", "method": "notifications/initialized"})


@pytest.mark.asyncio(loop_scope="module")
async def test_nonsense_is_answered_and_forgiven(house: House) -> None:
    async with started(house.home) as raw:
        for line in ("hello?", '{"jsonrpc": "2.0", "id"', "[1, 2]", "\x00\xff", "9" * 5000):
            raw.say(line)
            assert (await raw.heard())["error"]["code"] in (-32700, -32600), line
        raw.say("")
        raw.say({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "x" * 200_000}})
        told = await raw.heard()
        assert told["id"] == 5 and told["error"]["code"] == -32600
        await greeted(raw)
        listed = await raw.ask(2, "tools/list")
        assert "get_time" in {tool["name"] for tool in listed["result"]["tools"]}
        unknown = await raw.ask(3, "tools/explode")
        assert unknown["id"] == 3 and unknown["error"]["code"] == -32601
        assert raw.process.stdin is not None
        raw.process.stdin.close()
        assert await raw.process.wait() == 0, "a client that closes its end is all that it takes to end"


async def test_a_mind_that_goes_is_told_of_and_the_next_one_found(tmp_path: Path) -> None:
    home = tmp_path / "mind"
    env = {"REACHY_MIND_MODELS__FOLDER": str(MODELS)}
    async with contextlib.AsyncExitStack() as stack:
        async with opened(home, **env) as house:
            raw = await stack.enter_async_context(started(home))
            await greeted(raw)
            raw.say({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "hold", "arguments": {}}})
            from tests.tools.bench import done

            done.clear()
            await until(lambda: done == ["hold"])
            del house
        told = await raw.heard()
        assert told["id"] == 7 and ("error" in told or told["result"]["isError"])
        async with opened(home, **env) as house:
            told = await raw.ask(8, "tools/call", name="light", arguments={"on": True})
            assert told["id"] == 8 and told["result"]["structuredContent"]["status"] == "ok"
            row = await house.audited("home.light")
            assert row["channel"] == "mcp:raw", "it is greeted anew in the client's name"


async def test_without_a_mind_the_first_client_brings_one_for_all(tmp_path: Path) -> None:
    home = tmp_path / "mind"
    async with started(home, "--robot", "none") as one, started(home, "--robot", "none") as two:
        await asyncio.gather(greeted(one), greeted(two))
        for raw in (one, two):
            told = await raw.ask(2, "tools/call", name="get_time", arguments={})
            assert told["result"]["structuredContent"]["status"] == "ok"
        owner = json.loads((home / "run" / "mind.json").read_text())["pid"]
        assert owner in (one.process.pid, two.process.pid), "one of them is the mind, and there is one"
        first, second = (one, two) if owner == one.process.pid else (two, one)
        first.process.send_signal(signal.SIGTERM)
        assert await first.process.wait() == 0 and not (home / "run" / "mind.json").exists()
        # The other one takes its place when it is needed.
        told = await second.ask(3, "tools/call", name="get_time", arguments={})
        assert told["result"]["structuredContent"]["status"] == "ok"
        assert json.loads((home / "run" / "mind.json").read_text())["pid"] == second.process.pid


@pytest.mark.asyncio(loop_scope="module")
async def test_the_socket_is_for_our_own_command_alone(house: House) -> None:
    from websockets.asyncio.client import connect
    from websockets.exceptions import InvalidStatus

    for headers in ({}, {"Authorization": "Bearer guessed"}, {"Authorization": f"Bearer {house.token('any')[1]}"}):
        with pytest.raises(InvalidStatus, match="403"):
            await connect(f"ws://127.0.0.1:{house.port}/mcp/stdio/all", additional_headers=headers, proxy=None)


async def test_without_the_library_everything_else_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    book = McpConfigFile(Home(tmp_path))
    book.add(McpServerEntry("fake", ("anything",), enabled=True))
    async with opened(tmp_path, REACHY_MIND_MODELS__FOLDER=str(MODELS)) as house, httpx.AsyncClient() as http:
        headers = {"Authorization": f"Bearer {house.token('x')[1]}"}
        told = await http.post(house.url, json={}, headers=headers)
        assert told.status_code == 501 and "reachy-mind[mcp]" in told.json()["error"]["hint"]
        servers = (await http.get(f"http://127.0.0.1:{house.port}/api/v1/mcp/servers")).json()
        assert servers["servers"] == [] and "'mcp' extra" in servers["trouble"]
        async with started(tmp_path) as raw:
            told = await raw.ask(1, "initialize", **GREETING)
            assert told["error"]["code"] == -32000 and "reachy-mind[mcp]" in told["error"]["message"]
