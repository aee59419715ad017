"""A device agent in this process, without hardware, in a data folder of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from reachy_mind.config.configuration import Configuration, load
from reachy_mind.fleet.agent.agent import DeviceAgent
from reachy_mind.fleet.agent.agent_identity import agent_folder
from reachy_mind.fleet.agent.control_socket import ask_agent
from tests.fleet.agent.captures import Capture, read_capture
from tests.waiting import until

WITHOUT_HARDWARE = {
    "REACHY_MIND_DEVICE__PINS": "mock",
    "REACHY_MIND_DEVICE__SOUND": "null",
    "REACHY_MIND_SPEECH__VOICE": "none",
}


class RunningAgent:
    """Asked as other programs ask it."""

    def __init__(self, configuration: Configuration, agent: DeviceAgent, capture: Path) -> None:
        self.configuration, self.agent, self._capture = configuration, agent, capture
        self.folder = agent_folder(configuration)

    async def ask(self, do: str, **about: Any) -> dict[str, Any]:
        return await ask_agent(self.folder, {"do": do, **about})

    async def status(self, name: str) -> Any:
        return (await self.ask("status"))[name]

    async def press(self, button: str, press: str = "single") -> None:
        await self.ask("press", button=button, press=press)

    async def shown(self) -> list[str]:
        """What the light has shown."""
        return [each["name"] for each in (await self.ask("light"))["history"]]

    def heard(self) -> Capture:
        return read_capture(self._capture)


MakeAgent = Callable[..., AbstractAsyncContextManager[RunningAgent]]


@pytest.fixture
def settings(tmp_path: Path) -> Callable[..., Configuration]:
    """The configuration of a device; keyword arguments are variables in small letters."""

    def make(**variables: str) -> Configuration:
        environ = {
            "REACHY_MIND_HOME": str(tmp_path / "home"),
            "REACHY_MIND_DEVICE__SOUND_CAPTURE": str(tmp_path / "heard.wav"),
            **WITHOUT_HARDWARE,
            **{name.upper(): value for name, value in variables.items()},
        }
        return load(environ=environ, folder=tmp_path)

    return make


@pytest.fixture
def make_agent(settings: Callable[..., Configuration], tmp_path: Path) -> MakeAgent:
    @asynccontextmanager
    async def run(**variables: str) -> AsyncIterator[RunningAgent]:
        configuration = settings(**variables)
        agent = DeviceAgent(configuration)
        running = RunningAgent(configuration, agent, tmp_path / "heard.wav")
        task = asyncio.create_task(agent.run())
        try:
            await until(lambda: task.done() or (running.folder / "agent.sock").exists())
            if task.done():
                task.result()
            yield running
        finally:
            agent.end()
            await task

    return run
