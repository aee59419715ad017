"""`FaultRig`: the processes of a scenario of `fleet_faults`: a device, its node or two, the network in between.

While it is open the device accepts events and an operator sends commands, all the time.
"""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

import httpx

from reachy_mind.bench.fault_proxy import FaultProxy
from reachy_mind.bench.fleet_fault_device import COMMAND
from reachy_mind.bench.fleet_processes import POLL_S, ControlNode, FaultDevice, enrolled
from reachy_mind.bench.fleet_servers import NatsServer, PostgresServer
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import NotReady

EVENTS_A_ROUND: Final = 30
FRAMES_A_ROUND: Final = 10
WAIT_S: Final = 60.0
DISK_BYTES: Final = 32 << 20
COMMAND_INTERVAL_S: Final = 0.1
Need = Literal["postgres", "nats", "two nodes", "small disk", "clocks"]


@dataclass
class FaultRig:
    """`done`: what was done, to be reported. `sent`: the commands that the API has taken, in order."""

    node: ControlNode
    device: FaultDevice
    proxy: FaultProxy
    folder: Path
    postgres: PostgresServer | None = None
    nats: NatsServer | None = None
    other: ControlNode | None = None
    done: Counter[str] = field(default_factory=Counter)
    sent: list[str] = field(default_factory=list)
    command_filler: int = 0
    """Letters that are added to each command."""
    _enough: asyncio.Event = field(default_factory=asyncio.Event)
    _commands_sent: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def nodes(self) -> list[ControlNode]:
        return [self.node] if self.other is None else [self.node, self.other]

    async def traffic(self) -> None:
        """Wait until the device has accepted and sent some more events: the next fault hits a WebSocket in use."""
        accepted, passed = len(self.device.accepted) + EVENTS_A_ROUND, self.proxy.counts.passed_up + FRAMES_A_ROUND
        await self.until(lambda: len(self.device.accepted) >= accepted and self.proxy.counts.passed_up >= passed)
        await self.until(lambda: self.proxy.websockets > 0)

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Raises NotReady when it does not come true."""
        deadline = time.monotonic() + WAIT_S
        while not is_so():
            self.device.check()
            if time.monotonic() > deadline:
                raise NotReady(f"nothing more arrived within {WAIT_S:g} s", hint=str(self.proxy.counts))
            await asyncio.sleep(POLL_S)

    async def kill_device(self) -> None:
        self.done["device_kills"] += 1
        await self.device.kill()

    async def kill_node(self, node: ControlNode) -> None:
        self.done["node_kills"] += 1
        await self.note(node)
        await node.kill()

    async def note(self, node: ControlNode) -> None:
        """Take over what a node has counted since its start."""
        metrics = await node.metrics()
        self.done["repetitions_suppressed"] += metrics["repetitions"]
        self.done["closed"] += metrics["connections_closed"]
        for code, name in ((4001, "fenced"), (4010, "too_slow"), (1013, "store_refused")):
            self.done[name] += metrics[f"closes {code}"]
        self.done["store_refused"] += metrics["rejected store"]

    async def finish(self) -> None:
        """No more events and commands."""
        self._enough.set()
        await self.device.finish()
        async with asyncio.timeout(WAIT_S):
            await self._commands_sent.wait()

    async def send_commands(self) -> None:
        """Until `finish`: each is answered before the next, so that their order is known."""
        number = 0
        while not self._enough.is_set():
            number += 1
            content = {"type": COMMAND, "payload": {"number": number, "filler": "x" * self.command_filler}}
            node = self.nodes[number % len(self.nodes)]
            with contextlib.suppress(httpx.HTTPError):
                answer = await node.request("POST", f"devices/{self.device.identity.device}/commands", content)
                self.sent.append(answer["id"])
            await asyncio.sleep(COMMAND_INTERVAL_S)
        self._commands_sent.set()


@contextlib.asynccontextmanager
async def fault_rig(needs: frozenset[Need]) -> AsyncIterator[FaultRig]:
    """All processes, running. Raises NotReady."""
    async with contextlib.AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fleet-")))
        postgres = nats = other = None
        options: tuple[str, ...] = ()
        if "postgres" in needs:
            postgres = await asyncio.to_thread(stack.enter_context, PostgresServer(folder / "postgres"))
            options = ("--store", postgres.url)
        if "nats" in needs:
            nats = await asyncio.to_thread(stack.enter_context, NatsServer(folder / "nats"))
            options = (*options, "--nats", nats.url)
        if "small disk" in needs:
            stack.enter_context(small_disk(folder / "node-1"))
        clocks = [clock_file(folder, name) if "clocks" in needs else None for name in ("node", "device")]
        node = await stack.enter_async_context(ControlNode(folder / "node-1", options=options, clock=clocks[0]))
        if "two nodes" in needs:
            other = await stack.enter_async_context(ControlNode(folder / "node-2", options=options))
        proxy = await stack.enter_async_context(FaultProxy(node.port))
        identity = await enrolled(node, "fault device", f"http://127.0.0.1:{proxy.port}")
        device = FaultDevice(folder / "device", identity, clock=clocks[1])
        stack.push_async_callback(device.kill)
        await device.start()
        rig = FaultRig(node, device, proxy, folder, postgres, nats, other)
        sending = asyncio.create_task(rig.send_commands(), name="commands")
        try:
            yield rig
        finally:
            await cancel_and_wait(sending)


@contextlib.contextmanager
def small_disk(folder: Path, size: int = DISK_BYTES) -> Iterator[None]:
    """A small file system of its own. Raises CalledProcessError, OSError where that is not allowed."""
    folder.mkdir(parents=True, exist_ok=True)
    options = ["-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    subprocess.run(["mount", *options], check=True, capture_output=True)  # noqa: S607 -- a program of the system
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)  # noqa: S607 -- as above


def unavailable(needs: frozenset[Need]) -> str:
    """Why this machine can't give a scenario what it needs; empty when it can."""
    if "small disk" not in needs:
        return ""
    try:
        with tempfile.TemporaryDirectory() as folder, small_disk(Path(folder)):
            return ""
    except (subprocess.CalledProcessError, OSError) as error:
        return f"not run: no small file system can be mounted ({error})"


def clock_file(folder: Path, name: str) -> Path:
    """The file that moves the clock of "device" or "node"."""
    file = folder / f"clock-{name}"
    if not file.exists():
        file.write_text("0")
    return file
