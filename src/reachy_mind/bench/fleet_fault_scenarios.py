"""The scenarios of `fleet_faults`: what happens to a device, its node, the network, and the servers behind.

Each is a coroutine of a `FaultRig` that does one thing again and again, `rounds` times, while the device accepts events
and an operator sends commands.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from reachy_mind.bench.fault_proxy import Faults
from reachy_mind.bench.fleet_fault_rig import FaultRig, Need, clock_file

REFUSE_S: Final = 0.2
BLACK_HOLES_S: Final = (1.0, 3.0)
"""One that the device does not notice, one in which an emergency waits for too long."""
DEAD_LINES, DEAD_LINE_S = 2, 20.0
SLOW_READER_S: Final = 20.0
"""Longer than buffers take to fill, and the hub then waits for a peer to take a frame or to answer a ping."""
FILLER: Final = 55_000
HARMED_A_ROUND: Final = 3
STRANDED_FRAMES: Final = 5
CHUNKS: Final = (1 << 16, 1 << 12)


@dataclass(frozen=True)
class Scenario:
    """`happened`: the counts that show that the fault happened; each is at least the number of rounds."""

    act: Callable[[FaultRig, int], Awaitable[None]]
    happened: tuple[str, ...]
    needs: frozenset[Need] = frozenset()
    most_rounds: int = 1000


async def _kill_device(rig: FaultRig, rounds: int) -> None:
    for _ in range(rounds):
        await rig.traffic()
        await rig.kill_device()
        await rig.device.start()


async def _kill_server(rig: FaultRig, rounds: int) -> None:
    for _ in range(rounds):
        await rig.traffic()
        await rig.kill_node(rig.node)
        await rig.node.start()


async def _kill_both(rig: FaultRig, rounds: int) -> None:
    for _ in range(rounds):
        await rig.traffic()
        await asyncio.gather(rig.kill_node(rig.node), rig.kill_device())
        await rig.device.start()
        await rig.node.start()


async def _cut(rig: FaultRig, rounds: int) -> None:
    for _ in range(rounds):
        await rig.traffic()
        rig.proxy.cut()
        rig.proxy.refuse = True
        await asyncio.sleep(REFUSE_S)
        rig.proxy.refuse = False


async def _black_hole(rig: FaultRig, rounds: int) -> None:
    """What is sent for a while vanishes, in both directions, while the connection stays open."""
    for number in range(rounds):
        await rig.traffic()
        rig.proxy.mode = "black hole"
        await asyncio.sleep(BLACK_HOLES_S[number % len(BLACK_HOLES_S)])
        rig.proxy.mode = "pass"


async def _dead_line(rig: FaultRig, rounds: int) -> None:
    """The line is dead for longer than pings are awaited, and nobody is told."""
    for _ in range(rounds):
        await rig.traffic()
        rig.proxy.mode = "black hole"
        await asyncio.sleep(DEAD_LINE_S)
        rig.proxy.mode = "pass"


async def _delay(rig: FaultRig, rounds: int) -> None:
    """Each frame is late, and the connection is cut with some on their way."""
    rig.proxy.faults = Faults(delay_s=0.1)
    for _ in range(rounds):
        await rig.traffic()
        rig.proxy.cut()
    rig.proxy.faults = Faults()


def _harmed(faults: Faults, count: str) -> Callable[[FaultRig, int], Awaitable[None]]:
    """A network that does this to frames; in each round to some, as `count` of the proxy says."""

    async def run(rig: FaultRig, rounds: int) -> None:
        rig.proxy.faults = faults
        for _ in range(rounds):
            enough = getattr(rig.proxy.counts, count) + HARMED_A_ROUND
            await rig.traffic()
            await rig.until(lambda enough=enough: getattr(rig.proxy.counts, count) >= enough)  # type: ignore[misc]
        rig.proxy.faults = Faults()

    return run


async def _slow_reader(rig: FaultRig, rounds: int) -> None:
    """The device is stopped and reads nothing, while more commands come than buffers hold."""
    rig.command_filler = FILLER
    for _ in range(rounds):
        await rig.traffic()
        rig.device.signal(signal.SIGSTOP)
        await asyncio.sleep(SLOW_READER_S)
        rig.device.signal(signal.SIGCONT)
    rig.command_filler = 0


async def _full_disk(rig: FaultRig, rounds: int) -> None:
    """The disk of the node's store is full until the node has refused something."""
    filler = rig.node.folder / "filler"
    for _ in range(rounds):
        await rig.traffic()
        before = await _refused(rig)
        with filler.open("wb", buffering=0) as file:
            for size in CHUNKS:
                with contextlib.suppress(OSError):
                    while True:
                        file.write(bytes(size))
        while await _refused(rig) == before:
            rig.device.check()
            await asyncio.sleep(0.1)
        filler.unlink()


async def _refused(rig: FaultRig) -> int:
    metrics = await rig.node.metrics()
    return metrics["closes 1013"] + metrics["rejected store"]


async def _clock_jumps(rig: FaultRig, rounds: int) -> None:
    """The clocks of device and node jump by an hour, back and forth."""
    for number in range(rounds):
        await rig.traffic()
        for name, hours in (("device", number % 3 - 1), ("node", (number + 1) % 3 - 1)):
            clock_file(rig.folder, name).write_text(f"{hours * 3600}")
        rig.done["clock_jumps"] += 1


async def _racing(rig: FaultRig, rounds: int) -> None:
    """What an old connection still had to deliver arrives when the new one is open, at the same node or the other."""
    assert rig.other is not None
    ports = (rig.node.port, rig.other.port)

    def enough_stranded() -> bool:
        rig.proxy.strand()  # again and again: the device may just have been between two connections
        return rig.proxy.stranded() >= STRANDED_FRAMES

    for number in range(rounds):
        await rig.traffic()
        await rig.until(enough_stranded)
        rig.proxy.target = ports[(number + 1) // 2 % 2]
        connections = rig.proxy.counts.connections
        rig.proxy.break_stranded()
        await rig.until(lambda connections=connections: rig.proxy.counts.connections > connections)  # type: ignore[misc]
        if number % 4 < 2:
            await rig.traffic()  # the new one is in use; else they race
        rig.proxy.release_stranded()
    rig.proxy.target = rig.node.port


async def _postgres_restarts(rig: FaultRig, rounds: int) -> None:
    assert rig.postgres is not None
    for _ in range(rounds):
        await rig.traffic()
        await asyncio.to_thread(rig.postgres.kill)
        await asyncio.sleep(0.3)
        await asyncio.to_thread(rig.postgres.start)
        rig.done["postgres_kills"] += 1


async def _nats_restarts(rig: FaultRig, rounds: int) -> None:
    """The bus between two nodes dies, while the device moves from one to the other."""
    assert rig.nats is not None and rig.other is not None
    ports = (rig.other.port, rig.node.port)
    for number in range(rounds):
        await rig.traffic()
        await asyncio.to_thread(rig.nats.kill)
        rig.proxy.target = ports[number % 2]
        rig.proxy.cut()
        await rig.traffic()
        await asyncio.to_thread(rig.nats.start)
        rig.done["nats_kills"] += 1
    rig.proxy.target = rig.node.port


async def _kill_node(rig: FaultRig, rounds: int) -> None:
    """One of two nodes is killed; the device goes to the other."""
    for number in range(rounds):
        await rig.traffic()
        dying, living = rig.nodes[number % 2], rig.nodes[(number + 1) % 2]
        await rig.kill_node(dying)
        rig.proxy.target = living.port
        await rig.traffic()
        await dying.start()
    rig.proxy.target = rig.node.port


_POSTGRES: Final = frozenset[Need](("postgres",))
_NODES: Final = frozenset[Need](("postgres", "nats", "two nodes"))
_NO_BUS: Final = _NODES - {"nats"}
"""Two nodes that do not hear of each other: only the store tells that a connection is old."""
SCENARIOS: Final[dict[str, Scenario]] = {
    "kill_device": Scenario(_kill_device, ("device_kills",)),
    "kill_server": Scenario(_kill_server, ("node_kills",)),
    "kill_both": Scenario(_kill_both, ("node_kills", "device_kills")),
    "cut": Scenario(_cut, ("cut",)),
    "black_hole": Scenario(_black_hole, ("swallowed",)),
    "dead_line": Scenario(_dead_line, ("swallowed",), most_rounds=DEAD_LINES),
    "delay": Scenario(_delay, ("delayed", "cut")),
    "reorder": Scenario(_harmed(Faults(reorder=0.05), "reordered"), ("reordered", "gaps_noticed")),
    "repeat": Scenario(_harmed(Faults(repeat=0.3), "repeated"), ("repeated", "repetitions_suppressed")),
    "damage": Scenario(_harmed(Faults(damage=0.05), "damaged"), ("damaged", "damage_refused")),
    "slow_reader": Scenario(_slow_reader, ("closed",)),  # by whichever comes first: too slow, or no pong
    "full_disk": Scenario(_full_disk, ("store_refused",), frozenset[Need](("small disk",))),
    "clock_jumps": Scenario(_clock_jumps, ("clock_jumps", "clocks_apart"), frozenset[Need](("clocks",))),
    "racing": Scenario(_racing, ("late", "fenced"), _NO_BUS),
    "postgres_restarts": Scenario(_postgres_restarts, ("postgres_kills", "store_refused"), _POSTGRES),
    "nats_restarts": Scenario(_nats_restarts, ("nats_kills",), _NODES),
    "kill_node": Scenario(_kill_node, ("node_kills",), _NODES),
}
