"""The real agent process, on mock pins and a sound card without hardware: an emergency with nobody to tell, kill -9,
a control plane that comes later, and the end."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from reachy_mind.errors import MindError
from reachy_mind.fleet.agent.control_socket import ask_agent
from reachy_mind.fleet.control.store.sqlite import SqliteStore
from reachy_mind.fleet.device.enrolment import DeviceIdentity, save_identity
from reachy_mind.storage.home import Home
from tests.fleet.agent.captures import read_capture
from tests.fleet.hub_server import hub_server
from tests.waiting import until

pytestmark = pytest.mark.process


class AgentProcess:
    """`reachy-mind device run`, with a data folder and a capture of its own."""

    def __init__(self, folder: Path, **variables: str) -> None:
        self.home, self.capture, self.log = folder / "home", folder / "heard.wav", folder / "log"
        self.folder = self.home / "fleet" / "device"
        self._variables = variables
        self.process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        environ = (
            os.environ | {"REACHY_MIND_HOME": str(self.home), "REACHY_MIND_SPEECH__VOICE": "none"} | self._variables
        )
        options = ("--pins", "mock", "--sound", "null", "--capture", str(self.capture))
        with self.log.open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "reachy_mind", "device", "run", *options), env=environ, stdout=log, stderr=log
            )
        await until(self.answers)

    async def answers(self) -> bool:
        assert self.process is not None
        assert self.process.returncode is None, self.log.read_text()
        with contextlib.suppress(MindError):
            return bool(await self.ask("status"))
        return False

    async def ask(self, do: str, **about: Any) -> dict[str, Any]:
        return await ask_agent(self.folder, {"do": do, **about})

    async def end(self, how: signal.Signals) -> int:
        assert self.process is not None
        self.process.send_signal(how)
        return await self.process.wait()


@contextlib.asynccontextmanager
async def agent_process(folder: Path, **variables: str) -> AsyncIterator[AgentProcess]:
    agent = AgentProcess(folder, **variables)
    await agent.start()
    try:
        yield agent
    finally:
        if agent.process is not None and agent.process.returncode is None:
            await agent.end(signal.SIGKILL)


async def test_an_emergency_with_nobody_to_tell_is_seen_heard_and_never_lost(tmp_path: Path) -> None:
    async with agent_process(tmp_path) as agent:
        await agent.ask("press", button="red")
        light = await agent.ask("light")
        shown = light["history"][-1]
        assert (shown["name"], shown["effect"], shown["color"]) == ("emergency", "flash", [1.0, 0.0, 0.0])
        await until(lambda: read_capture(agent.capture).first_loud(shown["at"] - 0.001) is not None)
        heard = read_capture(agent.capture).between(shown["at"], shown["at"] + 1.5)
        assert int(np.abs(heard.astype(np.int32)).max()) > 10000

        async def kept() -> bool:
            return (await agent.ask("status"))["emergencies"] == 1

        await until(kept)
        alarm = (await agent.ask("status"))["alarm"]
        assert await agent.end(signal.SIGKILL) == -signal.SIGKILL

        await agent.start()
        await until(kept)
        told = await agent.ask("status")
        assert (told["state"], told["alarm"], told["emergencies"]) == ("emergency", alarm, 1)
        assert told["light"] == "emergency"

        async with SqliteStore(tmp_path / "fleet.db") as store, hub_server(store) as node:
            device = await node.device()
            url = f"http://127.0.0.1:{node.port}"
            identity = DeviceIdentity(url, device.id, node.tokens[device.id], name=device.name)
            await asyncio.to_thread(save_identity, Home(agent.home), identity)

            async def delivered() -> bool:
                return bool(await store.read(lambda sql: sql.rows("SELECT id FROM emergency")))

            await until(delivered)
            rows = await store.read(lambda sql: sql.rows("SELECT id FROM emergency"))
            assert [row["id"] for row in rows] == [alarm]
            order = await store.read(lambda sql: sql.rows("SELECT type FROM uplink ORDER BY received_at, prio"))
            assert order[0]["type"] == "emergency.pressed"


async def test_sigterm_ends_it_in_order_and_leaves_nothing(tmp_path: Path) -> None:
    async with agent_process(tmp_path) as agent:
        assert agent.process is not None
        process = psutil.Process(agent.process.pid)
        await agent.ask("press", button="green", press="double")
        children = process.children(recursive=True)
        assert await agent.end(signal.SIGTERM) == 0
        assert not [child for child in children if child.is_running()]
        assert not (agent.folder / "agent.sock").exists()
        assert "bye" in agent.log.read_text()


async def test_systemd_is_told_that_it_is_ready_and_alive(tmp_path: Path) -> None:
    told: list[bytes] = []
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(tmp_path / "notify"))
        systemd.settimeout(0.0)
        loop = asyncio.get_running_loop()
        loop.add_reader(systemd, lambda: told.append(systemd.recv(4096)))
        variables = {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "400000"}
        async with agent_process(tmp_path, **variables) as agent:
            await until(lambda: sum(message == b"WATCHDOG=1" for message in told) >= 3)
            assert any(b"READY=1" in message for message in told)
            assert await agent.end(signal.SIGTERM) == 0
        assert told[-1] == b"STOPPING=1" or b"STOPPING=1" in told
        loop.remove_reader(systemd)


async def test_without_ears_or_voice_green_says_so_and_the_buttons_work_afterwards(tmp_path: Path) -> None:
    async with agent_process(tmp_path, REACHY_MIND_SPEECH__EARS="none") as agent:
        await agent.ask("press", button="green")

        async def refused() -> bool:
            return "can't talk with you now" in (await agent.ask("status"))["said"]

        await until(refused)
        await agent.ask("press", button="green", press="long")

        async def muted() -> bool:
            return (await agent.ask("status"))["state"] == "muted"

        await until(muted)
        assert await agent.end(signal.SIGTERM) == 0
        await agent.start()
        await until(muted)


async def test_the_commands_ask_it(tmp_path: Path) -> None:
    async def command(*words: str) -> tuple[int, dict[str, Any]]:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "reachy_mind", "device", *words, "--json"),
            env=os.environ | {"REACHY_MIND_HOME": str(tmp_path / "home")},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        out, _ = await process.communicate()
        return process.returncode or 0, json.loads(out)

    code, told = await command("status")
    assert code == 1 and told["error"]["hint"] == "reachy-mind device run"
    async with agent_process(tmp_path) as agent:
        code, told = await command("press", "red")
        assert (code, told) == (0, {"pressed": "red", "press": "single"})
        code, told = await command("status")
        assert (code, told["state"]) == (0, "emergency")
        began = time.monotonic()
        assert await agent.end(signal.SIGTERM) == 0
        assert time.monotonic() - began < 15, "also in an emergency"
