"""Two nodes with PostgreSQL and NATS, for `bench fleet`: devices that move between them, and a node that is killed."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
import time
from pathlib import Path
from typing import Final

from reachy_mind.bench.fleet_processes import ControlNode
from reachy_mind.bench.fleet_servers import NatsServer, PostgresServer
from reachy_mind.fleet.device.hub_address import HubAddress
from reachy_mind.fleet.device.simulated_device import DeviceCredentials
from reachy_mind.fleet.device.simulation import TICK_S, Simulation
from reachy_mind.fleet.protocol.frame import Frame

PRESSES_PER_S: Final = 50.0
MOVES: Final = 5
"""How often a tenth of the devices goes to the other node."""
COMMANDS: Final = 40
CONNECT_TIMEOUT_S: Final = 120.0


async def measure_nodes(devices: int) -> dict[str, float]:
    """Figures of `devices` devices, half of them on each node."""
    with tempfile.TemporaryDirectory(prefix="fleet-nodes-") as name:
        folder = Path(name)
        postgres, nats = PostgresServer(folder / "postgres"), NatsServer(folder / "nats")
        async with contextlib.AsyncExitStack() as stack:
            for server in (postgres, nats):
                await asyncio.to_thread(stack.enter_context, server)
            options = ("--store", postgres.url, "--nats", nats.url)
            nodes = [ControlNode(folder / number, options=options) for number in ("1", "2")]
            first, second = [await stack.enter_async_context(node) for node in nodes]
            return await _measure(first, second, devices)


async def _measure(first: ControlNode, second: ControlNode, devices: int) -> dict[str, float]:
    content = {"prefix": "bench", "count": devices}
    made = [DeviceCredentials(**each) for each in await first.request("POST", "devices/bulk", content)]
    addresses = [HubAddress(first.url), HubAddress(second.url)]
    arrivals: dict[str, float] = {}

    def arrived(_: str, command: Frame) -> None:
        arrivals.setdefault(command.id, time.monotonic())

    async with Simulation(made, addresses, on_command=arrived) as simulation:
        await simulation.until_connected(within_s=CONNECT_TIMEOUT_S)
        simulation.press_buttons(PRESSES_PER_S)
        moved = 0
        for _ in range(MOVES):
            moved += await simulation.move(devices // 10)
            await simulation.until_connected(within_s=CONNECT_TIMEOUT_S)
        delivered = await _command(first, made, arrivals)
        on_second = simulation.connected_to(addresses[1])
        began = time.monotonic()
        await second.kill()
        await _until_all_at(simulation, addresses[0])
        recovered_s = time.monotonic() - began
        await simulation.stop_pressing()
        await simulation.until_quiet()
        stored = sum("press" in each["payload"] for each in await first.pages("events", type="button.pressed"))
        pressed = simulation.counters.accepted - simulation.counters.commands
        return {
            "devices": float(devices),
            "moved": float(moved),
            "command_p50_ms": 1000 * sorted(delivered)[len(delivered) // 2],
            "commands_not_delivered": float(COMMANDS - len(delivered)),
            "killed_with_devices": float(on_second),
            "recovered_s": recovered_s,
            "events": float(pressed),
            "lost": float(pressed - stored),
            "not_acknowledged": float(simulation.waiting),
        }


async def _until_all_at(simulation: Simulation, address: HubAddress) -> None:
    """Raises TimeoutError."""
    deadline = time.monotonic() + CONNECT_TIMEOUT_S
    while (connected := simulation.connected_to(address)) < len(simulation.devices):
        if time.monotonic() > deadline:
            raise TimeoutError(f"{connected} devices found the other node")
        await asyncio.sleep(TICK_S)


async def _command(node: ControlNode, made: list[DeviceCredentials], arrivals: dict[str, float]) -> list[float]:
    """Through one node to devices on both: seconds until each arrived."""
    sent: dict[str, float] = {}
    for number in range(COMMANDS):
        device, began = made[number * 7919 % len(made)].id, time.monotonic()
        content = {"type": "speak", "payload": {"text": f"{number}"}}
        sent[(await node.request("POST", f"devices/{device}/commands", content))["id"]] = began
        await asyncio.sleep(0.05)
    await asyncio.sleep(5.0)  # what the bus lost is found in the store within seconds
    return [arrivals[command] - began for command, began in sent.items() if command in arrivals]
