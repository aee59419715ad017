"""Runs the reference of `fleet_faults` (`fleet_source_reference.py`) through cuts and kills; counts what is lost."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
import tempfile
from pathlib import Path
from typing import Final, Literal

from reachy_mind.bench.fault_proxy import FaultProxy
from reachy_mind.bench.fleet_servers import free_port

How = Literal["cut", "black_hole", "kill_server", "kill_device"]
MODULE: Final = "reachy_mind.bench.fleet_source_reference"
PER_S: Final = 200
EVENTS_A_ROUND: Final = 30
DRAIN_S: Final = 3.0
SILENT_S: Final = 1.0
HOWS: Final[tuple[How, ...]] = ("cut", "black_hole", "kill_server", "kill_device")


async def reference_run(rounds: int) -> dict[str, float]:
    """Lost messages of the reference, for four of the scenarios."""
    figures: dict[str, float] = {}
    sent = lost = 0
    for how in HOWS:
        accepted, missing = await _run(how, rounds)
        figures |= {f"{how}_accepted": accepted, f"{how}_lost": missing}
        sent, lost = sent + accepted, lost + missing
    return figures | {"lost_percent": 100 * lost / max(1, sent)}


async def _run(how: How, rounds: int) -> tuple[int, int]:
    total = (rounds + 2) * EVENTS_A_ROUND
    with tempfile.TemporaryDirectory(prefix="fleet-reference-") as folder:
        file, port = Path(folder) / "stored", free_port()
        file.touch()
        async with FaultProxy(port) as proxy:
            server = await _start("server", port, file)
            device = await _start("device", proxy.port, 1, total, PER_S)
            last = 0
            for _ in range(rounds):
                last = await _until(device, last, min(total, last + EVENTS_A_ROUND))
                if how == "cut":
                    proxy.cut()
                    proxy.refuse = True
                    await asyncio.sleep(0.2)
                    proxy.refuse = False
                elif how == "black_hole":
                    proxy.mode = "black hole"
                    await asyncio.sleep(SILENT_S)
                    proxy.mode = "pass"
                elif how == "kill_server":
                    await _kill(server)
                    await asyncio.sleep(1.0)  # as long as ours takes to start
                    server = await _start("server", port, file)
                else:
                    proxy.refuse = True  # offline, as a device that is switched off often is
                    proxy.cut()
                    last = await _until(device, last, min(total, last + EVENTS_A_ROUND // 3))
                    await _kill(device)
                    proxy.refuse = False
                    device = await _start("device", proxy.port, last + 1, total, PER_S)
            await _until(device, last, total)
            await asyncio.sleep(DRAIN_S)
            await _kill(device)
            await _kill(server)
        stored = {int(line) for line in file.read_text().split()}
    return total, total - len(stored & set(range(1, total + 1)))


async def _start(*arguments: object) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *[sys.executable, "-m", MODULE, *map(str, arguments)],
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
    )


async def _until(device: asyncio.subprocess.Process, last: int, number: int) -> int:
    """Read what the device prints until it has accepted so many; `last` is what it had printed before."""
    assert device.stdout is not None
    while last < number:
        line = await device.stdout.readline()
        if not line:
            return last
        last = int(line)
    return last


async def _kill(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.SIGKILL)
    await process.communicate()
