"""A control plane with thousands of devices: memory, processor, delivery, a reconnect storm, and two nodes.

Ours: `reachy-mind fleet serve` on one node with SQLite, and simulated devices in this process, which send heartbeats,
press buttons and get commands. The node is then killed and started again, and all of them come back. After that two
nodes with PostgreSQL and NATS: devices move between them, and one of the nodes is killed. The reference is a bare
WebSocket echo on uvicorn with as many sockets and the same traffic, killed in the same way.
"""

from __future__ import annotations

import asyncio
import contextlib
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import httpx
import psutil

from reachy_mind.bench import Figures
from reachy_mind.bench.fleet_echo import EchoClients
from reachy_mind.bench.fleet_nodes import measure_nodes
from reachy_mind.bench.fleet_processes import ControlNode
from reachy_mind.bench.fleet_servers import free_port
from reachy_mind.config.configuration import Configuration
from reachy_mind.fleet.control.open_files import raise_limit
from reachy_mind.fleet.device.hub_address import HubAddress
from reachy_mind.fleet.device.simulated_device import DeviceCredentials
from reachy_mind.fleet.device.simulation import TICK_S, Simulation
from reachy_mind.fleet.protocol.frame import Frame

SECONDS = 300.0
DEVICES: Final = 10_000
NODE_DEVICES: Final = 2_000
STEADY_S: Final = 40.0
PRESSES_PER_S: Final = 50.0
COMMANDS_PER_S: Final = 10.0
CONNECT_TIMEOUT_S: Final = 180.0
READY_TIMEOUT_S: Final = 30.0


async def measure(configuration: Configuration, seconds: float) -> Figures:
    del configuration  # each process has one of its own
    share = min(1.0, seconds / SECONDS)
    room = raise_limit()
    devices = min(room, max(100, round(DEVICES * share)))
    steady_s = max(5.0, STEADY_S * share)
    ours = await _one_node(devices, steady_s)
    reference = await _echo(devices, steady_s)
    nodes = await measure_nodes(max(50, round(NODE_DEVICES * share)))
    same = ("memory_per_device_kb", "connect_cpu_ms", "steady_cpu_percent", "ack_p50_ms", "storm_recovered_s")
    ratio = {key: ours[key] / max(1e-9, reference[key]) for key in same}
    failed = [f"{key}: {ours[key]:g}" for key in ("lost", "not_acknowledged") if ours[key]]
    failed += [f"nodes: {key}: {nodes[key]:g}" for key in ("lost", "not_acknowledged") if nodes[key]]
    notes = {"load": "devices and their control plane share the cores: the simulation takes about one of two"}
    return Figures(ours | {f"nodes_{key}": value for key, value in nodes.items()}, reference, ratio, notes, failed)


async def _one_node(devices: int, steady_s: float) -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="fleet-") as folder:
        async with ControlNode(Path(folder) / "node") as node:
            content = {"prefix": "bench", "count": devices}
            made = [DeviceCredentials(**each) for each in await node.request("POST", "devices/bulk", content)]
            before = _memory_kb(node.pid)
            cpu_before = _cpu_s(node.pid)
            arrivals: dict[str, float] = {}

            def arrived(_: str, command: Frame) -> None:
                arrivals.setdefault(command.id, time.monotonic())

            async with Simulation(made, [HubAddress(node.url)], on_command=arrived) as simulation:
                connected_s = await simulation.until_connected(within_s=CONNECT_TIMEOUT_S)
                figures = {
                    "devices": float(devices),
                    "connected_s": connected_s,
                    "connect_cpu_ms": 1000 * (_cpu_s(node.pid) - cpu_before) / devices,
                    "memory_per_device_kb": (_memory_kb(node.pid) - before) / devices,
                }
                simulation.counters.ack_s.clear()
                cpu_before, began = _cpu_s(node.pid), time.monotonic()
                simulation.press_buttons(PRESSES_PER_S)
                delivered = await _command(node, made, arrivals, steady_s)
                took = time.monotonic() - began
                figures["steady_cpu_percent"] = 100 * (_cpu_s(node.pid) - cpu_before) / took
                figures |= _p50_p99_ms("ack", list(simulation.counters.ack_s)) | _p50_p99_ms("delivery", delivered)
                figures["memory_mb"] = _memory_kb(node.pid) / 1024
                began = time.monotonic()
                await node.kill()
                await _until_lost(simulation)
                await node.start()
                await simulation.until_connected(within_s=CONNECT_TIMEOUT_S)
                figures["storm_recovered_s"] = time.monotonic() - began
                await simulation.stop_pressing()
                await simulation.until_quiet()
                stored = sum("press" in each["payload"] for each in await node.pages("events", type="button.pressed"))
                pressed = simulation.counters.accepted - simulation.counters.commands
                figures |= {"events": float(pressed), "lost": float(pressed - stored)}
                figures["not_acknowledged"] = float(simulation.waiting)
                return figures


async def _command(
    node: ControlNode, made: list[DeviceCredentials], arrivals: dict[str, float], seconds: float
) -> list[float]:
    """Send commands to devices in turn; how long each took to arrive."""
    delivered: list[tuple[str, float]] = []
    began = time.monotonic()
    for number in range(int(seconds * COMMANDS_PER_S)):
        await asyncio.sleep(max(0.0, began + number / COMMANDS_PER_S - time.monotonic()))
        device, sent = made[number * 7919 % len(made)].id, time.monotonic()
        content = {"type": "speak", "payload": {"text": f"{number}"}}
        answer = await node.request("POST", f"devices/{device}/commands", content)
        delivered.append((answer["id"], sent))
    await asyncio.sleep(1.0)  # the last ones are still on their way
    return [arrivals[command] - sent for command, sent in delivered if command in arrivals]


async def _echo(devices: int, steady_s: float) -> dict[str, float]:
    port = free_port()
    process = await _start_echo(port)
    try:
        before, cpu_before = _memory_kb(process.pid), _cpu_s(process.pid)
        async with EchoClients(devices, port) as clients:
            await clients.until_connected(CONNECT_TIMEOUT_S)
            figures = {
                "devices": float(devices),
                "connect_cpu_ms": 1000 * (_cpu_s(process.pid) - cpu_before) / devices,
                "memory_per_device_kb": (_memory_kb(process.pid) - before) / devices,
            }
            clients.echo_s.clear()
            cpu_before, began = _cpu_s(process.pid), time.monotonic()
            await clients.press_for(steady_s, PRESSES_PER_S)
            took = time.monotonic() - began
            figures["steady_cpu_percent"] = 100 * (_cpu_s(process.pid) - cpu_before) / took
            figures |= _p50_p99_ms("ack", list(clients.echo_s))
            began = time.monotonic()
            process.kill()
            await process.wait()
            await _until_lost(clients)
            process = await _start_echo(port)
            await clients.until_connected(CONNECT_TIMEOUT_S)
            return figures | {"storm_recovered_s": time.monotonic() - began}
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def _until_lost(clients: Simulation | EchoClients) -> None:
    """Wait until all connections have noticed that the server was killed. Raises TimeoutError."""
    deadline = time.monotonic() + READY_TIMEOUT_S
    while clients.connected:
        if time.monotonic() > deadline:
            raise TimeoutError(f"{clients.connected} connections did not notice that their server is gone")
        await asyncio.sleep(TICK_S)


async def _start_echo(port: int) -> asyncio.subprocess.Process:
    process = await asyncio.create_subprocess_exec(
        *[sys.executable, "-m", "reachy_mind.bench.fleet_echo", str(port)], stdin=asyncio.subprocess.DEVNULL
    )
    async with asyncio.timeout(READY_TIMEOUT_S), httpx.AsyncClient(trust_env=False) as http:
        while True:
            with contextlib.suppress(httpx.HTTPError):
                await http.get(f"http://127.0.0.1:{port}/")
                return process
            await asyncio.sleep(0.05)


def _p50_p99_ms(name: str, times: Sequence[float]) -> dict[str, float]:
    cuts = statistics.quantiles(times, n=100)
    return {f"{name}_p50_ms": round(1000 * cuts[49], 2), f"{name}_p99_ms": round(1000 * cuts[98], 2)}


def _memory_kb(pid: int) -> float:
    return float(psutil.Process(pid).memory_info().rss) / 1024


def _cpu_s(pid: int) -> float:
    times = psutil.Process(pid).cpu_times()
    return float(times.user + times.system)
