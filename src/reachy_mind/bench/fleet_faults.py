"""Faults between a device and the control plane: how many events and commands are lost, or applied twice.

Ours: a device process and `reachy-mind fleet serve`, with kills, cuts, damaged, repeated and reordered frames, full
disks and servers that restart. An event counts as accepted once the device has printed it after its commit, a command
once the API has answered. The reference has the delivery of the older protocol: a queue in memory, no acknowledgements.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import subprocess
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx

from reachy_mind.bench import Figures
from reachy_mind.bench import fleet_fault_scenarios as scenarios
from reachy_mind.bench.fault_proxy import FaultProxy, Faults
from reachy_mind.bench.fleet_fault_scenarios import FaultRig
from reachy_mind.bench.fleet_processes import ControlNode, FaultDevice, enrolled
from reachy_mind.bench.fleet_reference_run import reference_run
from reachy_mind.bench.fleet_servers import NatsServer, PostgresServer
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.config.configuration import Configuration

SECONDS = 600.0
ROUNDS: Final = 10
EVENTS: Final = 400
DRAIN_TIMEOUT_S: Final = 90.0
DISK_BYTES: Final = 32 << 20
COMMAND_INTERVAL_S: Final = 0.1
Scenario = Callable[[FaultRig, int], Awaitable[None]]
SCENARIOS: Final[dict[str, Scenario]] = {
    "kill_device": scenarios.kill_device,
    "kill_server": scenarios.kill_server,
    "kill_both": scenarios.kill_both,
    "cut": scenarios.cut,
    "black_hole": scenarios.black_hole,
    "dead_line": scenarios.dead_line,
    "delay": scenarios.with_faults(Faults(delay_s=0.1)),
    "reorder": scenarios.with_faults(Faults(reorder=0.05)),
    "repeat": scenarios.with_faults(Faults(repeat=0.3)),
    "damage": scenarios.with_faults(Faults(damage=0.02)),
    "stopped_device": scenarios.stopped_device,
    "full_disk": scenarios.full_disk,
    "clock_jumps": scenarios.clock_jumps,
    "racing": scenarios.racing,
    "postgres_restarts": scenarios.postgres_restarts,
    "nats_restarts": scenarios.nats_restarts,
    "kill_node": scenarios.kill_node,
}
WITH_POSTGRES: Final = ("postgres_restarts", "nats_restarts", "kill_node")
WITH_TWO_NODES: Final = ("nats_restarts", "kill_node")


@dataclass(frozen=True)
class FaultOutcome:
    """What a scenario did to events and commands."""

    accepted: int
    stored: int
    lost: int
    twice: int
    out_of_order: int
    commands: int
    commands_lost: int
    handed_over_again: int
    """Commands that a killed device had carried out and was handed again, with the same id."""
    connections: int
    frames_harmed: int
    """Frames that the network damaged, repeated or put in another order."""

    @property
    def harmed(self) -> int:
        return self.lost + self.twice + self.out_of_order + self.commands_lost


async def measure(configuration: Configuration, seconds: float) -> Figures:
    del configuration  # each process has one of its own
    ours: dict[str, float] = {}
    notes: dict[str, str] = {}
    failed: list[str] = []
    totals: Counter[str] = Counter()
    for name in SCENARIOS:
        reason = _unavailable(name)
        if reason:
            notes[name] = reason
            continue
        outcome = await run(name, rounds=max(1, round(ROUNDS * min(1.0, seconds / SECONDS))))
        for key, value in vars(outcome).items():
            ours[f"{name}_{key}"] = value
            totals[key] += value
        if outcome.harmed:
            failed.append(f"{name}: {outcome}")
    ours |= {f"all_{key}": value for key, value in totals.items()}
    reference = await reference_run(rounds=ROUNDS)
    share = {"lost_percent": 100 * totals["lost"] / max(1, totals["accepted"])}
    ratio = {"lost": share["lost_percent"] / max(1e-9, reference["lost_percent"])}
    return Figures(ours | share, reference, ratio, notes, failed)


async def run(name: str, *, rounds: int = ROUNDS, events: int = EVENTS) -> FaultOutcome:
    """One scenario, with all its processes."""
    with tempfile.TemporaryDirectory(prefix="fleet-") as folder:
        async with _rig(name, Path(folder), events) as rig:
            sent: list[str] = []
            sending = asyncio.create_task(_send_commands(rig, sent), name="commands")
            try:
                await SCENARIOS[name](rig, rounds)
                await rig.device.until_accepted(rig.total)
            finally:
                await cancel_and_wait(sending)
            return await _compare(rig, sent)


@contextlib.asynccontextmanager
async def _rig(name: str, folder: Path, events: int) -> AsyncIterator[FaultRig]:
    async with contextlib.AsyncExitStack() as stack:
        postgres = nats = other = None
        options: tuple[str, ...] = ()
        if name in WITH_POSTGRES:
            postgres = await asyncio.to_thread(stack.enter_context, PostgresServer(folder / "postgres"))
            options = ("--store", postgres.url)
        if name in WITH_TWO_NODES:
            nats = await asyncio.to_thread(stack.enter_context, NatsServer(folder / "nats"))
            options = (*options, "--nats", nats.url)
        jumps = name == "clock_jumps"
        if name == "full_disk":
            stack.enter_context(_small_disk(folder / "node-1"))
        clock = scenarios.clock_file(folder, "node") if jumps else None
        node = ControlNode(folder / "node-1", options=options, clock=clock)
        await stack.enter_async_context(node)
        if name in WITH_TWO_NODES:
            other = await stack.enter_async_context(ControlNode(folder / "node-2", options=options))
        proxy = await stack.enter_async_context(FaultProxy(node.port))
        identity = await enrolled(node, "fault device", f"http://127.0.0.1:{proxy.port}")
        links, clock = 2 if name == "racing" else 1, scenarios.clock_file(folder, "device") if jumps else None
        device = FaultDevice(folder / "device", identity, links=links, clock=clock)
        stack.push_async_callback(device.kill)
        await device.start(events)
        yield FaultRig(node, device, proxy, events, folder, postgres, nats, other)


@contextlib.contextmanager
def _small_disk(folder: Path) -> Any:
    folder.mkdir(parents=True)
    options = ["-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", str(folder)]
    subprocess.run(["mount", *options], check=True)  # noqa: S607 -- a program of the system
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)  # noqa: S607 -- as above


async def _send_commands(rig: FaultRig, sent: list[str]) -> None:
    """Send commands all the time; those that the API has taken are `sent`."""
    path = f"devices/{rig.device.identity.device}/commands"
    nodes = [node for node in (rig.node, rig.other) if node is not None]
    number = 0
    while True:
        number += 1
        with contextlib.suppress(httpx.HTTPError):
            content = {"type": "speak", "payload": {"text": f"{number}"}}
            sent.append((await nodes[number % len(nodes)].request("POST", path, content))["id"])
        await asyncio.sleep(COMMAND_INTERVAL_S)


async def _compare(rig: FaultRig, sent: list[str]) -> FaultOutcome:
    """Wait until all has arrived, or time is up, and compare both sides."""
    accepted = set(rig.device.accepted)
    found: list[tuple[int, tuple[int, int]]] = []
    done: dict[str, str] = {}
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(DRAIN_TIMEOUT_S):
            while not (accepted <= {each for _, each in found} and all(done.get(each) == "done" for each in sent)):
                await asyncio.sleep(0.5)
                with contextlib.suppress(httpx.HTTPError):
                    found = await _stored_events(rig)
                    commands = await rig.node.pages(f"devices/{rig.device.identity.device}/commands")
                    done = {each["id"]: each["state"] for each in commands}
    counts = Counter(each for _, each in found)
    effects = Counter(rig.device.effects())
    return FaultOutcome(
        accepted=len(accepted),
        stored=len(found),
        lost=len(accepted - set(counts)),
        twice=sum(count - 1 for count in counts.values()),
        out_of_order=_out_of_order(found),
        commands=len(sent),
        commands_lost=sum(not effects[each] or done.get(each) != "done" for each in sent),
        handed_over_again=sum(count - 1 for count in effects.values()),
        connections=rig.proxy.counts.connections,
        frames_harmed=rig.proxy.counts.damaged + rig.proxy.counts.repeated + rig.proxy.counts.reordered,
    )


async def _stored_events(rig: FaultRig) -> list[tuple[int, tuple[int, int]]]:
    """Lane, run and number of what the store has, by the numbers with which it was stored."""
    events = await rig.node.pages("events", device=rig.device.identity.device)
    events.sort(key=lambda event: event["seq"])
    return [
        (min(event["prio"], 1), (event["payload"]["run"], event["payload"]["n"]))
        for event in events
        if "n" in event["payload"]
    ]


def _out_of_order(found: list[tuple[int, tuple[int, int]]]) -> int:
    """Events that were stored after a later one of their lane."""
    wrong = 0
    for lane in (0, 1):
        numbers = [number for which, number in found if which == lane]
        wrong += sum(later < earlier for earlier, later in itertools.pairwise(numbers))
    return wrong


def _unavailable(name: str) -> str:
    """Why a scenario can't run here."""
    if name == "full_disk" and not scenarios.may_mount():
        return "not run: only root can make a small disk"
    return ""
