"""`EnduranceRig`: the processes of an endurance test, in a temporary folder: a robot, a mind, a model server, a fleet.

The robot is a simulator of its own, behind a proxy that can cut the connection. The mind is `reachy-mind run`, which is
started again when it ends. Its data folder is a small file system of its own where that may be mounted.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final

import httpx
import psutil

from reachy_mind.access.tokens import Tokens
from reachy_mind.bench.endurance.acknowledged import AcknowledgedState
from reachy_mind.bench.endurance.attempts import AttemptLog
from reachy_mind.bench.endurance.mind_api import MindApi
from reachy_mind.bench.endurance.model_server import MODEL, FaultyModelServer
from reachy_mind.bench.endurance.supervised_process import SupervisedProcess
from reachy_mind.bench.fault_proxy import FaultProxy
from reachy_mind.bench.fleet_fault_rig import clock_file, small_disk
from reachy_mind.bench.fleet_processes import ControlNode
from reachy_mind.bench.fleet_servers import free_port
from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import NotReady
from reachy_mind.fleet.device.hub_address import HubAddress
from reachy_mind.fleet.device.simulated_device import DeviceCredentials
from reachy_mind.fleet.device.simulation import Simulation
from reachy_mind.storage.home import Home

DISK_BYTES: Final = 256 << 20
START_TIMEOUT_S: Final = 180.0
DEVICES: Final = 3
PRESSES_PER_S: Final = 1.0
EFFECT_TOOL: Final = """
import os
from pathlib import Path


class NoteEffect:
    name, description = "note_effect", "Note a number in a file, once for each call."
    parameters_schema = {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]}

    async def __call__(self, deps, number):
        with open(Path(__file__).parent.parent / "effects", "a") as file:
            file.write(f"{number}\\n")
            file.flush()
            os.fsync(file.fileno())
        return {"message": f"Noted {number}."}
"""


@dataclass
class EnduranceRig:
    """What users and faults work with. `moving`: held by whoever moves the robot, so that users do not compete."""

    folder: Path
    home: Path
    simulator: SupervisedProcess
    simulator_port: int
    proxy: FaultProxy
    model: FaultyModelServer
    mind: SupervisedProcess
    api: MindApi
    port: int
    mcp_token: str
    log: AttemptLog
    node: ControlNode | None = None
    fleet: Simulation | None = None
    devices: list[str] = field(default_factory=list)
    own_disk: bool = False
    """Whether the data folder is a file system of its own."""
    known: AcknowledgedState = field(default_factory=AcknowledgedState)
    moving: asyncio.Lock = field(default_factory=asyncio.Lock)
    arrived: dict[str, float] = field(default_factory=dict)
    """When a command of the fleet reached its device."""

    @property
    def clock(self) -> Path:
        return clock_file(self.folder, "mind")

    @property
    def effects(self) -> Path:
        return self.folder / "effects"

    def processes(self) -> list[psutil.Process]:
        """Of the mind, the simulator and the control plane, with all their children."""
        pids = [self.mind.pid, self.simulator.pid, *([self.node.pid] if self.node is not None else [])]
        found: dict[int, psutil.Process] = {}
        for pid in pids:
            with contextlib.suppress(psutil.Error):
                process = psutil.Process(pid)
                for each in (process, *process.children(recursive=True)):
                    found[each.pid] = each
        return list(found.values())

    async def until_ready(self, within_s: float = START_TIMEOUT_S) -> None:
        """Until the mind is ready and has its robot. Raises NotReady."""
        deadline = time.monotonic() + within_s
        while not await self.is_ready():
            if time.monotonic() > deadline:
                lines = self.mind.log.read_text(errors="replace").splitlines()[-5:]
                raise NotReady(f"the mind did not become ready: {' | '.join(lines)}")
            await asyncio.sleep(0.2)

    async def is_ready(self) -> bool:
        with contextlib.suppress(httpx.HTTPError, ValueError):
            answer = await self.api.http.get("/readyz", timeout=5)
            return answer.status_code == 200 and answer.json()["robot"] == "connected"
        return False

    async def metrics(self) -> str:
        return (await self.api.http.get("/metrics", timeout=10)).text

    def kill_child(self, *words: str) -> bool:
        """SIGKILL of the newest process of the mind or the simulator with these words in its command line."""
        for process in sorted(self.processes(), key=lambda each: -each.pid):
            with contextlib.suppress(psutil.Error):
                line = process.cmdline()
                if process.pid != self.mind.pid and all(any(word in part for part in line) for word in words):
                    os.kill(process.pid, signal.SIGKILL)
                    return True
        return False


@contextlib.asynccontextmanager
async def endurance_rig(
    configuration: Configuration, folder: Path, log: AttemptLog, chance: Random, *, with_fleet: bool
) -> AsyncIterator[EnduranceRig]:
    """All processes, running and ready. Raises NotReady."""
    home, tools = folder / "home", folder / "tools"
    (folder / "temp").mkdir()
    tools.mkdir(mode=0o700)
    (tools / "note_effect.py").write_text(EFFECT_TOOL)
    async with contextlib.AsyncExitStack() as stack:
        own_disk = _mounted(stack, home)
        home.chmod(0o700)
        (home / "permissions.yaml").write_text("rules:\n- {pattern: 'profile.*', tier: autonomous}\n")
        model = await stack.enter_async_context(FaultyModelServer())
        environment = _environment(configuration, home, folder, model.port)
        token = Tokens(Home(home)).new("endurance", ("mcp",))[1]
        simulator_port, port = free_port(), free_port()
        python = [sys.executable, "-m"]
        sim = [*python, "reachy_mind", "sim", "--port", str(simulator_port), "--no-wake-up-on-start"]
        simulator = await stack.enter_async_context(SupervisedProcess(sim, environment, folder / "simulator.log"))
        proxy = await stack.enter_async_context(FaultProxy(simulator_port, chance.randrange(1 << 30)))
        await _until_open(simulator_port)
        clock = str(clock_file(folder, "mind"))
        run = [*python, "reachy_mind.bench.jumping_clock", clock, "reachy_mind", "run"]
        run += ["--robot", f"127.0.0.1:{proxy.port}", "--port", str(port), "--no-browser"]
        mind = await stack.enter_async_context(SupervisedProcess(run, environment, folder / "mind.log"))
        api = await stack.enter_async_context(MindApi(port))
        rig = EnduranceRig(
            *(folder, home, simulator, simulator_port, proxy, model, mind, api, port, token, log),
            own_disk=own_disk,
        )
        if with_fleet:
            await _start_fleet(rig, stack)
        await rig.until_ready()
        yield rig


def _mounted(stack: contextlib.ExitStack | contextlib.AsyncExitStack, home: Path) -> bool:
    """Make the data folder, on a small disk where this user may mount one."""
    home.mkdir(mode=0o700)
    try:
        stack.enter_context(small_disk(home, DISK_BYTES))
    except (subprocess.CalledProcessError, OSError):
        return False
    return True


def _environment(configuration: Configuration, home: Path, folder: Path, model_port: int) -> dict[str, str]:
    """None of the caller's settings but where models are."""
    usual = {name: value for name, value in os.environ.items() if not name.startswith("REACHY_MIND_")}
    return usual | {
        "REACHY_MIND_HOME": str(home),
        "REACHY_MIND_MODELS__FOLDER": str(configuration.models_folder),
        "REACHY_MIND_TOOLS__FOLDER": str(folder / "tools"),
        "REACHY_MIND_TOOLS__CONFIRM_S": "10",
        "REACHY_MIND_OPENAI__URL": f"http://127.0.0.1:{model_port}/v1",
        "REACHY_MIND_OPENAI__MODEL": MODEL,
        "REACHY_MIND_OPENAI__FIRST_TOKEN_S": "8",
        "REACHY_MIND_OPENAI__TIMEOUT_S": "15",
        "TMPDIR": str(folder / "temp"),
    }


async def _until_open(port: int) -> None:
    """Raises NotReady."""
    deadline = time.monotonic() + START_TIMEOUT_S
    async with httpx.AsyncClient(trust_env=False) as http:
        while time.monotonic() < deadline:
            with contextlib.suppress(httpx.HTTPError):
                await http.get(f"http://127.0.0.1:{port}/sim/v1/time")
                return
            await asyncio.sleep(0.2)
    raise NotReady("the simulator did not start")


async def _start_fleet(rig: EnduranceRig, stack: contextlib.AsyncExitStack) -> None:
    node = await stack.enter_async_context(ControlNode(rig.folder / "fleet"))
    made = [
        DeviceCredentials(**each)
        for each in await node.request("POST", "devices/bulk", {"prefix": "endurance", "count": DEVICES})
    ]

    def arrived(_: str, command: Any) -> None:
        rig.arrived.setdefault(command.id, time.monotonic())

    fleet = Simulation(made, [HubAddress(node.url)], on_command=arrived, heartbeat_s=10)
    await stack.enter_async_context(fleet)
    await fleet.until_connected(within_s=START_TIMEOUT_S)
    fleet.press_buttons(PRESSES_PER_S)
    rig.node, rig.fleet, rig.devices = node, fleet, [each.id for each in made]
