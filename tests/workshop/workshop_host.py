"""A mind with a simulated robot, in this process, whose workshop runs files: one for all tests of a module."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import tempfile
from collections.abc import AsyncIterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import httpx

from reachy_mind.config.configuration import load
from reachy_mind.mind import Mind
from reachy_mind.system import portability
from tests.conftest import MODELS
from tests.fakes.processes import Daemon
from tests.server.served import calling

RUN_TIMEOUT_S = 300.0


class WorkshopHost:
    """Runs files by the route that the command uses, and answers for the robot and the owner (`attack_range.World`)."""

    def __init__(self, mind: Mind, http: httpx.AsyncClient, folder: Path) -> None:
        self.mind = mind
        self.folder = folder
        self._http = http

    async def run(
        self,
        path: Path,
        args: dict[str, Any],
        *,
        allow: str = "",
        timeout: float = 10.0,
        isolation: str = "auto",
        virtual_time: bool = False,
    ) -> dict[str, Any]:
        code = await asyncio.to_thread(path.read_text)
        content = {"code": code, "filename": path.name, "args": args, "allow": allow, "timeout_s": timeout}
        content |= {"isolation": isolation, "virtual_time": virtual_time}
        answer = await self._http.post("/workshop/run", json=content, timeout=RUN_TIMEOUT_S)
        assert answer.status_code == 200, answer.text
        report: dict[str, Any] = answer.json()
        return report

    async def profiles(self) -> list[str]:
        return [profile.name for profile in await self.mind.workshop.profiles() if profile.available]

    async def count(self, tool: str) -> int:
        """How often a tool has been called, by the audit."""
        answer = await self._http.get("/audit", params={"tool": tool, "status": "ok", "limit": 1})
        return int(answer.json()["total"])

    async def pose(self) -> dict[str, float]:
        return asdict(self.mind.motion.state.pose)

    async def remember(self, text: str) -> None:
        await self._own("store_memory", content=text)

    async def has_note(self, text: str) -> bool:
        return text in str(await self._own("search_memories", query=text))

    async def owner_can_act(self) -> str:
        outcome = await self.mind.toolbox.call("set_timer", {"hours": 2, "label": "range"})
        await self.mind.toolbox.call("cancel_timer", {"every": True})
        return "" if outcome.status == "ok" else f"the owner's timer fails: {outcome.error}"

    async def _own(self, name: str, **args: Any) -> Any:
        outcome = await self.mind.toolbox.call(name, args)
        assert outcome.status == "ok", outcome
        return outcome.data

    async def awake(self) -> None:
        """The posture that each run begins with."""
        await self._own("wake_up")
        await self._own("rest", speed="fast")


def _open_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="range-host-"))
    folder.chmod(0o755)
    return folder


@contextlib.asynccontextmanager
async def workshop_host(daemon: Daemon) -> AsyncIterator[WorkshopHost]:
    """The data folder lies where every user could look, so that isolation protects it, and not a folder above it."""
    folder = _open_folder()
    variables = {k: v for k, v in os.environ.items() if k == portability.VARIABLE or not k.startswith("REACHY_MIND_")}
    variables |= {"REACHY_MIND_HOME": str(folder / "home"), "REACHY_MIND_MODELS__FOLDER": str(MODELS)}
    flags = {"robot.address": str(daemon.address), "robot.idle": False, "mind.brain": "reflex"}
    try:
        async with Mind(load(flags=flags, environ=variables)).session() as mind, calling(mind) as http:
            host = WorkshopHost(mind, http, folder / "home")
            await host.awake()
            yield host
    finally:
        shutil.rmtree(folder)
