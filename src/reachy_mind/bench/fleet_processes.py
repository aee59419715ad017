"""Processes of the fleet's benchmarks: nodes of the control plane and devices, to be killed and started again."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Self

import httpx
from prometheus_client.parser import text_string_to_metric_families

from reachy_mind.bench.fleet_fault_device import EFFECTS, END
from reachy_mind.bench.fleet_servers import free_port
from reachy_mind.errors import NotReady
from reachy_mind.fleet.control import local_operator
from reachy_mind.fleet.device.enrolment import DeviceIdentity, save_identity
from reachy_mind.storage.home import Home

START_TIMEOUT_S: Final = 60.0
POLL_S: Final = 0.05
EVENTS_PER_S: Final = 100
FAST: Final = {"REACHY_MIND_FLEET__RATE_PER_S": "2000", "REACHY_MIND_FLEET__BURST": "4000"}
"""So that a backlog of thousands of events is sent within seconds."""


class ControlNode:
    """A node of the control plane: `reachy-mind fleet serve` with a data folder of its own."""

    def __init__(
        self,
        folder: Path,
        *,
        options: tuple[str, ...] = (),
        clock: Path | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.folder, self.port = folder, free_port()
        self._options, self._clock, self._environment = options, clock, dict(environment or {})
        self._process: asyncio.subprocess.Process | None = None
        self._http: httpx.AsyncClient | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        assert self._process is not None, "it was started"
        return self._process.pid

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.kill()
        if self._http is not None:
            await self._http.aclose()

    async def start(self) -> None:
        """Start it, and return when it answers. Raises NotReady."""
        self.folder.mkdir(parents=True, exist_ok=True)
        command = [*_python("reachy_mind", self._clock), "fleet", "serve", "--port", str(self.port), *self._options]
        with (self.folder / "log").open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *command,
                env=os.environ | {"REACHY_MIND_HOME": str(self.folder)} | FAST | self._environment,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        await self.until_ready()

    async def until_ready(self) -> None:
        """Raises NotReady."""
        assert self._process is not None
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(START_TIMEOUT_S), httpx.AsyncClient(trust_env=False) as http:
                while self._process.returncode is None:
                    with contextlib.suppress(httpx.HTTPError):
                        if (await http.get(f"{self.url}/healthz")).status_code == 200:
                            return
                    await asyncio.sleep(POLL_S)
        lines = (self.folder / "log").read_text(errors="replace").splitlines()[-5:]
        raise NotReady(f"the control plane did not start: {' | '.join(lines)}")

    async def kill(self, how: signal.Signals = signal.SIGKILL) -> None:
        """End it, without warning."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(how)
            await self._process.wait()

    async def request(self, method: str, path: str, content: dict[str, Any] | None = None) -> Any:
        """A call of its REST API as the local operator. Raises httpx.HTTPError."""
        response = await self._client().request(method, f"{self.url}/fleet/v1/{path}", json=content)
        response.raise_for_status()
        return response.json()

    async def upload(self, wav: bytes) -> str:
        """Store a clip: its id. Raises httpx.HTTPError."""
        headers = {"Content-Type": "audio/wav"}
        response = await self._client().post(f"{self.url}/fleet/v1/audio", content=wav, headers=headers)
        response.raise_for_status()
        stored: str = response.json()["audio"]
        return stored

    async def metrics(self) -> Counter[str]:
        """What it has counted since its start: `repetitions`, `closes CODE`, `rejected REASON`. Raises HTTPError."""
        response = await self._client().get(f"{self.url}/metrics")
        response.raise_for_status()
        counted: Counter[str] = Counter()
        for family in text_string_to_metric_families(response.text):
            for sample in family.samples:
                if sample.name.endswith("_total"):
                    labels = [family.name.removeprefix("reachy_fleet_"), *sample.labels.values()]
                    counted[" ".join(labels)] = int(sample.value)
        return counted

    async def pages(self, path: str, **query: str) -> list[dict[str, Any]]:
        """All items of a list."""
        items: list[dict[str, Any]] = []
        while True:
            text = "&".join(f"{key}={value}" for key, value in (query | {"limit": "500"}).items() if value)
            answer = await self.request("GET", f"{path}?{text}")
            items += answer["items"]
            if not answer["next"]:
                return items
            query = query | {"before": answer["next"]}

    def _client(self) -> httpx.AsyncClient:
        if self._http is None:
            operator = local_operator.read(Home(self.folder))
            assert operator is not None, "it was started"
            headers = {"Authorization": f"Bearer {operator.key}"}
            self._http = httpx.AsyncClient(headers=headers, timeout=30, trust_env=False)
        return self._http


class FaultDevice:
    """A device process (`fleet_fault_device.py`). `accepted`: the events, by run and number, that are on its disk."""

    def __init__(
        self, folder: Path, identity: DeviceIdentity, *, per_s: int = EVENTS_PER_S, clock: Path | None = None
    ) -> None:
        self.folder, self.identity, self._per_s, self._clock = folder, identity, per_s, clock
        self.accepted: list[tuple[int, int]] = []
        self._run = 0
        self._ended = asyncio.Event()
        self._last_words: dict[str, Any] = {}
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Go on with the event after the last one."""
        await asyncio.to_thread(save_identity, Home(self.folder), self.identity)
        self._run += 1
        first = self.accepted[-1][1] + 1 if self.accepted else 1
        with (self.folder / "log").open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *_python("reachy_mind.bench.fleet_fault_device", self._clock),
                *map(str, (self.folder, self._run, first, self._per_s)),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
            )
        self._reading = asyncio.create_task(self._read(), name="device output")

    async def kill(self) -> None:
        """SIGKILL; what it had said until then counts."""
        self.signal(signal.SIGKILL)
        await self._until_gone()

    def signal(self, which: signal.Signals) -> None:
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(which)

    def check(self) -> None:
        """Raises NotReady when it has ended by itself."""
        if self._process is None or self._process.returncode is not None:
            lines = (self.folder / "log").read_text(errors="replace").splitlines()[-3:]
            raise NotReady(f"the device ended: {' | '.join(lines)}")

    async def finish(self) -> None:
        """It accepts no more events. Raises NotReady, TimeoutError."""
        async with asyncio.timeout(START_TIMEOUT_S):
            while not self.accepted or self.accepted[-1][0] < self._run:  # until then it does not know the signal
                self.check()
                await asyncio.sleep(POLL_S)
            self.signal(signal.SIGUSR1)
            await self._ended.wait()

    async def stop(self) -> dict[str, Any]:
        """End it; returns what it says of its connections."""
        self.signal(signal.SIGTERM)
        await self._until_gone()
        return self._last_words

    def effects(self) -> list[tuple[str, int]]:
        """The commands that were carried out, with repetitions: their ids, and which attempt it was."""
        file = self.folder / EFFECTS
        lines = [line.split() for line in file.read_text().splitlines()] if file.exists() else []
        return [(command, int(attempt)) for command, attempt in lines]

    async def _until_gone(self) -> None:
        if self._process is not None and self._reading is not None:
            await self._process.wait()
            await self._reading

    async def _read(self) -> None:
        assert self._process is not None and self._process.stdout is not None
        async for line in self._process.stdout:
            text = line.decode()
            if not text.endswith("\n"):
                continue  # the last one was cut off
            if text.startswith("{"):
                self._last_words = json.loads(text)
            elif text.strip() == END:
                self._ended.set()
            else:
                self.accepted.append((self._run, int(text)))


def _python(module: str, clock: Path | None) -> list[str]:
    """The command that runs a module, with a clock that a file moves, if there is one."""
    if clock is None:
        return [sys.executable, "-m", module]
    return [sys.executable, "-m", "reachy_mind.bench.jumping_clock", str(clock), module]


async def enrolled(node: ControlNode, name: str, url: str) -> DeviceIdentity:
    """A device that is enrolled at a node, and reaches it at `url`."""
    code = (await node.request("POST", "enrolments", {"name": name}))["code"]
    async with httpx.AsyncClient(trust_env=False) as http:
        answer = (await http.post(f"{node.url}/fleet/v1/enrol", json={"code": code, "agent": "bench"})).json()
    return DeviceIdentity(url, answer["device"], answer["token"], name)
