"""Runs the reference of `fleet_faults` (`fleet_source_reference.py`) through cuts and kills; counts what is lost."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal, Self

from reachy_mind.bench.fault_proxy import FaultProxy
from reachy_mind.bench.fleet_processes import EVENTS_PER_S
from reachy_mind.bench.fleet_servers import free_port
from reachy_mind.bench.fleet_source_reference import END
from reachy_mind.errors import NotReady

How = Literal["cut", "black_hole", "kill_server", "kill_device"]
MODULE: Final = "reachy_mind.bench.fleet_source_reference"
EVENTS_A_ROUND: Final = 30
FRAMES_A_ROUND: Final = 10
OFFLINE_EVENTS: Final = 10
DRAIN_S: Final = 3.0
SILENT_S: Final = 1.0
REFUSE_S: Final = 0.2
SERVER_START_S: Final = 1.0
"""As long as ours takes to start."""
WAIT_S: Final = 60.0
POLL_S: Final = 0.02
HOWS: Final[tuple[How, ...]] = ("cut", "black_hole", "kill_server", "kill_device")


async def reference_run(rounds: int) -> dict[str, float]:
    """Lost messages of the reference, for four of the scenarios. Raises NotReady when it comes to a standstill."""
    figures: dict[str, float] = {}
    sent = lost = 0
    for how in HOWS:
        accepted, missing = await _run(how, rounds)
        figures |= {f"{how}_accepted": accepted, f"{how}_lost": missing}
        sent, lost = sent + accepted, lost + missing
    return figures | {"lost_percent": 100 * lost / max(1, sent)}


class ReferenceDevice:
    """Its process. `accepted`: the last number it printed. Use as an async context manager."""

    def __init__(self, port: int) -> None:
        self.accepted = 0
        self._port = port
        self._ended = asyncio.Event()
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.kill()

    async def start(self) -> None:
        """Go on with the number after the last one."""
        self._process = await _start("device", self._port, self.accepted + 1, EVENTS_PER_S)
        self._reading = asyncio.create_task(self._read(self._process), name="reference device output")

    async def kill(self) -> None:
        if self._process is not None and self._reading is not None:
            await _kill(self._process)
            await self._reading

    async def finish(self) -> None:
        """It accepts no more."""
        assert self._process is not None
        self._process.send_signal(signal.SIGUSR1)
        async with asyncio.timeout(WAIT_S):
            await self._ended.wait()

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        async for line in process.stdout:
            text = line.decode()
            if text.strip() == END:
                self._ended.set()
            elif text.endswith("\n"):
                self.accepted = int(text)


async def _run(how: How, rounds: int) -> tuple[int, int]:
    """How many messages the device accepted, and how many of them never arrived."""
    with tempfile.TemporaryDirectory(prefix="fleet-reference-") as folder:
        file, port = Path(folder) / "stored", free_port()
        file.touch()
        async with contextlib.AsyncExitStack() as stack:
            proxy = await stack.enter_async_context(FaultProxy(port))
            server = await _start("server", port, file)
            stack.push_async_callback(lambda: _kill(server))
            device = await stack.enter_async_context(ReferenceDevice(proxy.port))
            for _ in range(rounds):
                await _traffic(device, proxy)
                if how == "kill_server":
                    await _kill(server)
                    await asyncio.sleep(SERVER_START_S)
                    server = await _start("server", port, file)
                else:
                    await _do(how, device, proxy)
            await _traffic(device, proxy)
            await device.finish()
            await asyncio.sleep(DRAIN_S)
        stored = {int(line) for line in file.read_text().split()}
    return device.accepted, device.accepted - len(stored & set(range(1, device.accepted + 1)))


async def _do(how: How, device: ReferenceDevice, proxy: FaultProxy) -> None:
    """One fault of the network, or of the device."""
    if how == "black_hole":
        proxy.mode = "black hole"
        await asyncio.sleep(SILENT_S)
        proxy.mode = "pass"
        return
    proxy.refuse = True
    proxy.cut()
    if how == "cut":
        await asyncio.sleep(REFUSE_S)
        proxy.refuse = False
        return
    number = device.accepted + OFFLINE_EVENTS  # a device is switched off while it is offline, as happens
    await _until(lambda: device.accepted >= number)
    await device.kill()
    proxy.refuse = False
    await device.start()


async def _traffic(device: ReferenceDevice, proxy: FaultProxy) -> None:
    """Wait until it has accepted and sent some more: the next fault hits a connection in use."""
    accepted, passed = device.accepted + EVENTS_A_ROUND, proxy.counts.passed_up + FRAMES_A_ROUND
    await _until(lambda: device.accepted >= accepted and proxy.counts.passed_up >= passed)


async def _until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT_S
    while not is_so():
        if time.monotonic() > deadline:
            raise NotReady(f"the reference did nothing more within {WAIT_S:g} s")
        await asyncio.sleep(POLL_S)


async def _start(*arguments: object) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *[sys.executable, "-m", MODULE, *map(str, arguments)],
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
    )


async def _kill(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.SIGKILL)
    await process.wait()
