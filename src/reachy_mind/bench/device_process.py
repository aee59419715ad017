"""`AgentProcess`: a real device agent without hardware, for `bench device`, and what its loudspeaker played."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
import psutil

from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import MindError, NotReady
from reachy_mind.fleet.agent.control_socket import ask_agent
from reachy_mind.fleet.device.enrolment import device_folder
from reachy_mind.storage.home import Home

TIMEOUT_S: Final = 60.0
POLL_S: Final = 0.01
RATE: Final = 16_000
HEADER_BYTES: Final = 44
LOUD: Final = 300
QUIET_S: Final = 0.4


class AgentProcess:
    """Use as `async with`. `started_s`: from its start until it answers, with its buttons armed."""

    def __init__(self, folder: Path, configuration: Configuration, microphone: Path | None = None) -> None:
        self.home, self.capture, self._log = Home(folder / "home"), folder / "heard.wav", folder / "log"
        self._models, self._microphone = configuration.models_folder, microphone
        self._process: asyncio.subprocess.Process | None = None
        self.started_s = 0.0

    @property
    def pid(self) -> int:
        assert self._process is not None, "it was started"
        return self._process.pid

    async def __aenter__(self) -> Self:
        variables = {"REACHY_MIND_HOME": str(self.home.folder), "REACHY_MIND_MODELS__FOLDER": str(self._models)}
        if self._microphone is not None:
            variables["REACHY_MIND_DEVICE__MICROPHONE_FILE"] = str(self._microphone)
        options = ("--pins", "mock", "--sound", "null", "--capture", str(self.capture))
        began = time.monotonic()
        with self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "reachy_mind", "device", "run", *options),
                env=os.environ | variables,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        try:
            await self._until_it_answers()
        except BaseException:
            await self.__aexit__()
            raise
        self.started_s = time.monotonic() - began
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._process is not None
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGTERM)
        try:
            async with asyncio.timeout(TIMEOUT_S):
                await self._process.wait()
        except TimeoutError:
            self._process.kill()
            await self._process.wait()

    async def ask(self, do: str, **about: Any) -> dict[str, Any]:
        return await ask_agent(device_folder(self.home), {"do": do, **about})

    async def until_state(self, state: str) -> float:
        """When it was so. Raises NotReady."""
        return await self.until(state=state)

    async def until(self, **wanted: Any) -> float:
        """When its status had these values. Raises NotReady."""
        what = ", ".join(f"{key} {value}" for key, value in wanted.items())
        return await self._until(what, lambda told: all(told[key] == value for key, value in wanted.items()))

    async def quiet(self) -> None:
        """Until nothing was heard for a while."""
        while await asyncio.to_thread(loud_since, self.capture, time.monotonic() - QUIET_S) is not None:  # noqa: ASYNC110
            await asyncio.sleep(POLL_S * 5)  # a file has no event

    async def settled(self) -> None:
        """Until its first work is done: the phrases are rendered, and it is idle. Raises NotReady."""
        process = psutil.Process(self.pid)
        deadline = time.monotonic() + TIMEOUT_S
        while time.monotonic() < deadline:
            before = sum(process.cpu_times()[:2])
            await asyncio.sleep(1.0)
            if sum(process.cpu_times()[:2]) - before < 0.05 and not process.children():
                return
        raise NotReady("the device agent never became idle")

    async def _until_it_answers(self) -> None:
        assert self._process is not None
        deadline = time.monotonic() + TIMEOUT_S
        while time.monotonic() < deadline and self._process.returncode is None:
            with contextlib.suppress(MindError):
                await self.ask("light")
                return
            await asyncio.sleep(POLL_S)
        lines = self._log.read_text(errors="replace").splitlines()[-5:]
        raise NotReady(f"the device agent did not start: {' | '.join(lines)}")

    async def _until(self, what: str, condition: Any) -> float:
        deadline = time.monotonic() + TIMEOUT_S
        said = ""
        while time.monotonic() < deadline:
            told = await self.ask("status")
            if condition(told):
                return time.monotonic()
            said = told["said"]
            await asyncio.sleep(POLL_S)
        raise NotReady(f"the device agent was never {what}; it said: {said}")


async def first_loud(capture: Path, after: float) -> float:
    """When the first sample that can be heard left the loudspeaker, after a time. Raises NotReady."""
    deadline = time.monotonic() + TIMEOUT_S
    while time.monotonic() < deadline:
        found = await asyncio.to_thread(loud_since, capture, after)
        if found is not None:
            return found
        await asyncio.sleep(POLL_S)
    raise NotReady("nothing was heard")


def loud_since(capture: Path, after: float) -> float | None:
    """When the first sample that can be heard left, if one has since then."""
    began = float(json.loads(capture.with_name(f"{capture.name}.json").read_text())["began_monotonic"])
    start = max(0, round((after - began) * RATE))
    with capture.open("rb") as file:
        file.seek(HEADER_BYTES + 2 * start)
        data = file.read()
    loud = np.flatnonzero(np.abs(np.frombuffer(data[: len(data) // 2 * 2], "<i2").astype(np.int32)) > LOUD)
    return began + (start + int(loud[0])) / RATE if len(loud) else None
