"""The scenarios of `fleet_faults`: what happens to a device, its node, the network, and the servers behind.

Each is a coroutine of a `FaultRig` that does one thing again and again, `rounds` times, while the device accepts events
and an operator sends commands.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx

from reachy_mind.bench.fault_proxy import FaultProxy, Faults
from reachy_mind.bench.fleet_processes import ControlNode, FaultDevice
from reachy_mind.bench.fleet_servers import NatsServer, PostgresServer

EVENTS_A_ROUND: Final = 30
DEAD_LINES, DEAD_LINE_S = 2, 20.0


@dataclass
class FaultRig:
    """A device, its node, and the proxy between them. `total`: up to which number the device accepts events."""

    node: ControlNode
    device: FaultDevice
    proxy: FaultProxy
    total: int
    folder: Path
    postgres: PostgresServer | None = None
    nats: NatsServer | None = None
    other: ControlNode | None = None

    async def events(self, count: int = EVENTS_A_ROUND) -> None:
        """Wait until the device has accepted some more events, or all."""
        last = self.device.accepted[-1][1] if self.device.accepted else 0
        await self.device.until_accepted(min(self.total, last + count))


async def kill_device(rig: FaultRig, rounds: int) -> None:
    for _ in range(rounds):
        await rig.events()
        await rig.device.kill()
        await rig.device.start(rig.total)


async def kill_server(rig: FaultRig, rounds: int) -> None:
    for _ in range(rounds):
        await rig.events()
        await rig.node.kill()
        await rig.node.start()


async def kill_both(rig: FaultRig, rounds: int) -> None:
    for _ in range(rounds):
        await rig.events()
        await asyncio.gather(rig.node.kill(), rig.device.kill())
        await rig.device.start(rig.total)
        await rig.node.start()


async def cut(rig: FaultRig, rounds: int) -> None:
    for _ in range(rounds):
        await rig.events()
        rig.proxy.cut()
        rig.proxy.refuse = True
        await asyncio.sleep(0.2)
        rig.proxy.refuse = False


async def black_hole(rig: FaultRig, rounds: int) -> None:
    """What is sent for a second vanishes, in both directions, while the connection stays open."""
    for _ in range(rounds):
        await rig.events()
        rig.proxy.mode = "black hole"
        await asyncio.sleep(1.0)
        rig.proxy.mode = "pass"


async def dead_line(rig: FaultRig, rounds: int) -> None:
    """The line is dead for longer than pings are awaited, and nobody is told; this takes long, so it is done less."""
    for _ in range(min(rounds, DEAD_LINES)):
        await rig.events()
        rig.proxy.mode = "black hole"
        await asyncio.sleep(DEAD_LINE_S)
        rig.proxy.mode = "pass"


def with_faults(faults: Faults) -> Callable[[FaultRig, int], Awaitable[None]]:
    """A network that does this all the time, and is cut every round."""

    async def run(rig: FaultRig, rounds: int) -> None:
        rig.proxy.faults = faults
        for _ in range(rounds):
            await rig.events()
            rig.proxy.cut()
        await rig.events(rig.total)
        rig.proxy.faults = Faults()

    return run


async def stopped_device(rig: FaultRig, rounds: int) -> None:
    """A device that reads nothing for a while, as commands for it come."""
    for number in range(rounds):
        await rig.events()
        rig.device.signal(signal.SIGSTOP)
        for _ in range(5):
            with contextlib.suppress(httpx.HTTPError):
                content = {"type": "speak", "payload": {"text": f"{number}" * 10_000}}
                await rig.node.request("POST", f"devices/{rig.device.identity.device}/commands", content)
        await asyncio.sleep(0.5)
        rig.device.signal(signal.SIGCONT)


async def full_disk(rig: FaultRig, rounds: int) -> None:
    """The disk of the node's store is full for a while. Its folder is a small file system of its own."""
    filler = rig.node.folder / "filler"
    for _ in range(rounds):
        await rig.events()
        with contextlib.suppress(OSError), filler.open("wb") as file:
            while True:
                file.write(bytes(1 << 16))
                file.flush()
        await asyncio.sleep(0.7)
        filler.unlink()


async def postgres_restarts(rig: FaultRig, rounds: int) -> None:
    assert rig.postgres is not None
    for _ in range(rounds):
        await rig.events()
        await asyncio.to_thread(rig.postgres.kill)
        await asyncio.sleep(0.3)
        await asyncio.to_thread(rig.postgres.start)


async def nats_restarts(rig: FaultRig, rounds: int) -> None:
    """The bus between two nodes dies, while the device moves from one to the other."""
    assert rig.nats is not None and rig.other is not None
    ports = (rig.other.port, rig.node.port)
    for number in range(rounds):
        await rig.events()
        await asyncio.to_thread(rig.nats.kill)
        rig.proxy.target = ports[number % 2]
        rig.proxy.cut()
        await rig.events()
        await asyncio.to_thread(rig.nats.start)
    rig.proxy.target = rig.node.port


async def kill_node(rig: FaultRig, rounds: int) -> None:
    """One of two nodes is killed; the device goes to the other."""
    assert rig.other is not None
    nodes = [rig.node, rig.other]
    for number in range(rounds):
        await rig.events()
        dying, living = nodes[number % 2], nodes[(number + 1) % 2]
        await dying.kill()
        rig.proxy.target = living.port
        await rig.events()
        await dying.start()
    rig.proxy.target = rig.node.port


async def clock_jumps(rig: FaultRig, rounds: int) -> None:
    """The clocks of device and node jump by an hour, back and forth."""
    for number in range(rounds):
        await rig.events()
        for name, hours in (("device", number % 3 - 1), ("node", (number + 1) % 3 - 1)):
            (rig.folder / f"clock-{name}").write_text(f"{hours * 3600}")


async def racing(rig: FaultRig, rounds: int) -> None:
    """Two connections with one store of one device, which fence each other all the time."""
    for _ in range(rounds):
        await rig.events()


def clock_file(folder: Path, name: str) -> Path:
    """The file that moves the clock of "device" or "node"."""
    file = folder / f"clock-{name}"
    file.write_text("0")
    return file


def may_mount() -> bool:
    """Whether a small file system of its own can be made."""
    return os.geteuid() == 0
