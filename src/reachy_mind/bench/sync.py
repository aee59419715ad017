"""Synchronised start: how far apart devices begin a sound, and how far from the time that the control plane fixed.

A real node of the control plane and five device processes, each behind a proxy that delays both directions at random
(a LAN: 0.2 to 2 ms; Wi-Fi: 2 to 8 ms, 5 % of 20 to 120 ms), each with a monotonic clock of its own, up to a day ahead
and up to 50 ppm too fast or slow. What is measured is where the sound begins in what their sound cards captured, on
the clock of this machine. The reference, with the same processes: a command upon which they begin at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import signal
import sys
import tempfile
import time
import wave
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from reachy_mind.bench import Figures
from reachy_mind.bench.fleet_processes import POLL_S, ControlNode, enrolled
from reachy_mind.bench.jitter_proxy import LAN, WIFI, DelayDistribution, JitterProxy
from reachy_mind.bench.shifted_clock import real_time
from reachy_mind.bench.sync_device import CAPTURE, NOW
from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import NotReady
from reachy_mind.fleet.activities.timed_player import RATE
from reachy_mind.fleet.device.enrolment import DeviceIdentity, save_identity
from reachy_mind.fleet.protocol.clock import hub_time_ms
from reachy_mind.storage.home import Home

SECONDS: Final = 120.0
DEVICES: Final = 5
NETWORKS: Final = {"lan": LAN, "wifi": WIFI}
CLOCKS: Final = ((0.0, 0.0), (3600.0, 50.0), (86_400.0, -50.0), (12.345, 20.0), (777.7, -35.0))
"""Of the devices: seconds ahead, and ppm too fast."""
START_S: Final = 4.0
"""What a start takes, about, with its preparation and its reference."""
GROUP: Final = "choir"
TONE_S: Final = 0.3
LOUD: Final = 1000
QUIET_S: Final = 0.15
PAUSE_S: Final = 0.5
WINDOW_S: Final = 1.5
"""A sound that begins this far from when it should is another one."""
WAIT_S: Final = 60.0


@dataclass(frozen=True)
class StartTimes:
    """When each device began, in ms: against `start_at`, or against the first of them where nothing was fixed."""

    errors_ms: list[float]
    spread_ms: float


async def measure(configuration: Configuration, seconds: float) -> Figures:
    del configuration
    starts = max(3, round(seconds / len(NETWORKS) / START_S))
    ours: dict[str, float] = {"devices": DEVICES, "starts_per_network": starts}
    reference: dict[str, float] = {}
    ratio: dict[str, float] = {}
    notes: dict[str, str] = {}
    failed: list[str] = []
    for name, delays in NETWORKS.items():
        planned, at_once, clocks, missing = await run(delays, starts)
        failed += [f"{name}: {each}" for each in missing]
        ours |= {f"{name}_spread_{key}": value for key, value in _percentiles([each.spread_ms for each in planned])}
        errors = [abs(error) for each in planned for error in each.errors_ms]
        ours |= {f"{name}_error_{key}": value for key, value in _percentiles(errors)}
        reference |= {f"{name}_spread_{key}": value for key, value in _percentiles([s.spread_ms for s in at_once])}
        ratio[f"{name}_spread_p95"] = ours[f"{name}_spread_p95_ms"] / max(1e-9, reference[f"{name}_spread_p95_ms"])
        notes[f"{name} clocks"] = json.dumps(clocks)
    return Figures(ours, reference, ratio, notes, failed)


async def run(
    delays: DelayDistribution, starts: int
) -> tuple[list[StartTimes], list[StartTimes], list[dict[str, Any]], list[str]]:
    """The starts by activities and those on receipt, what the devices say of their clocks, what went wrong."""
    async with _choir(delays) as choir:
        planned = [await choir.start() for _ in range(starts)]
        at_once = [await choir.start_on_receipt() for _ in range(starts)]
        clocks = await choir.stop()
        onsets = choir.onsets()
    problems: list[str] = []
    ours = _compare("start", onsets, planned, problems, fixed=True)
    return ours, _compare("reference", onsets, at_once, problems, fixed=False), clocks, problems


class Choir:
    """A node and its devices."""

    def __init__(self, node: ControlNode, folders: Sequence[Path]) -> None:
        self._node, self._folders = node, folders
        self._processes: list[asyncio.subprocess.Process] = []
        self._clip = ""

    async def open(self, identities: Sequence[DeviceIdentity]) -> None:
        """Start the devices, and wait until they are online. Raises NotReady."""
        for folder, identity, (offset_s, ppm) in zip(self._folders, identities, CLOCKS, strict=True):
            await asyncio.to_thread(save_identity, Home(folder), identity)
            await self._node.request("PATCH", f"devices/{identity.device}", {"groups": [GROUP]})
            command = [sys.executable, "-m", "reachy_mind.bench.shifted_clock", str(offset_s), str(ppm)]
            with (folder / "log").open("ab") as log:
                self._processes.append(
                    await asyncio.create_subprocess_exec(
                        *command,
                        "reachy_mind.bench.sync_device",
                        str(folder),
                        stdout=asyncio.subprocess.PIPE,
                        stderr=log,
                    )
                )
        self._clip = await self._node.upload(_tone())

        async def all_online() -> bool:
            return all(each["online"] for each in await self._node.pages("devices"))

        await self._until(all_online)

    async def start(self) -> float:
        """One activity, from its preparation to its end: when it began, by this machine's monotonic clock."""
        content = {"kind": "music", "group": GROUP, "content": {"audio": self._clip}}
        activity = (await self._node.request("POST", "activities", content))["id"]
        started: list[float] = []

        async def over() -> bool:
            found = await self._node.request("GET", f"activities/{activity}")
            if found["at"] is not None and not started:
                started.append(found["at"] / 1000 + time.monotonic() - hub_time_ms() / 1000)
            return bool(found["state"] == "ended")

        await self._until(over)
        if not started:
            raise NotReady("an activity ended before it began")
        return started[0]

    async def start_on_receipt(self) -> float:
        """A command upon which all devices begin: when it was sent."""
        await asyncio.sleep(PAUSE_S)
        at = time.monotonic()
        sent = await self._node.request("POST", f"groups/{GROUP}/commands", {"type": NOW})

        async def done() -> bool:
            return not (await self._node.request("GET", f"commands/{sent['id']}"))["open"]

        await self._until(done)
        return at

    async def stop(self) -> list[dict[str, Any]]:
        """End the devices: what they say of their clocks."""
        said = []
        for process in self._processes:
            process.send_signal(signal.SIGTERM)
        for process in self._processes:
            output, _ = await process.communicate()
            said.append(json.loads(output))
        return said

    async def kill(self) -> None:
        for process in self._processes:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await process.wait()

    def onsets(self) -> list[list[float]]:
        """When each device began its sounds, by this machine's monotonic clock."""
        return [_onsets(folder / CAPTURE, *clock) for folder, clock in zip(self._folders, CLOCKS, strict=True)]

    async def _until(self, is_so: Any) -> None:
        """Raises NotReady."""
        deadline = time.monotonic() + WAIT_S
        while not await is_so():
            if time.monotonic() > deadline or any(each.returncode is not None for each in self._processes):
                lines = [(folder / "log").read_text(errors="replace")[-300:] for folder in self._folders]
                raise NotReady(f"the devices do not go on: {' | '.join(lines)}")
            await asyncio.sleep(POLL_S)


@contextlib.asynccontextmanager
async def _choir(delays: DelayDistribution) -> AsyncIterator[Choir]:
    async with contextlib.AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sync-")))
        node = await stack.enter_async_context(ControlNode(folder / "node"))
        folders, identities = [], []
        for number in range(DEVICES):
            proxy = await stack.enter_async_context(JitterProxy(node.port, delays, seed=number))
            identities.append(await enrolled(node, f"device {number}", f"http://127.0.0.1:{proxy.port}"))
            folders.append(folder / f"device-{number}")
            folders[-1].mkdir()
        choir = Choir(node, folders)
        stack.push_async_callback(choir.kill)
        await choir.open(identities)
        yield choir


def _compare(
    what: str, onsets: list[list[float]], expected: Sequence[float], problems: list[str], *, fixed: bool
) -> list[StartTimes]:
    """The starts in which every device was heard once."""
    found = []
    for number, at in enumerate(expected, 1):
        low, high = (at - WINDOW_S, at + WINDOW_S) if fixed else (at, at + 2 * WINDOW_S)
        heard = [[each for each in device if low <= each <= high] for device in onsets]
        if any(not each for each in heard):
            silent = [str(index) for index, each in enumerate(heard) if not each]
            problems.append(f"{what} {number}: not heard from {', '.join(silent)}")
            continue
        begun = [min(each, key=lambda onset: abs(onset - at)) for each in heard]
        errors = [(each - at) * 1000 for each in begun]
        found.append(StartTimes(errors, (max(begun) - min(begun)) * 1000))
    return found


def _onsets(capture: Path, offset_s: float, ppm: float) -> list[float]:
    """When sounds begin after a silence."""
    about = json.loads(capture.with_name(capture.name + ".json").read_text())
    with wave.open(str(capture)) as file:
        samples = np.frombuffer(file.readframes(file.getnframes()), "<i2")
    loud = np.flatnonzero(np.abs(samples.astype(np.int32)) > LOUD)
    if not len(loud):
        return []
    firsts = loud[np.concatenate(([True], np.diff(loud) > QUIET_S * RATE))]
    return [real_time(about["began_monotonic"] + first / about["rate"], offset_s, ppm) for first in firsts]


def _tone() -> bytes:
    """A clip that is loud from its first sample on."""
    samples = 0.8 * 32767 * np.cos(2 * np.pi * 500 * np.arange(round(TONE_S * RATE)) / RATE)
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(RATE)
        writer.writeframes(samples.astype("<i2").tobytes())
    return file.getvalue()


def _percentiles(values: Sequence[float]) -> list[tuple[str, float]]:
    if not values:
        return [("p50_ms", float("nan")), ("p95_ms", float("nan")), ("max_ms", float("nan"))]
    p50, p95 = np.percentile(values, (50, 95))
    return [("p50_ms", float(p50)), ("p95_ms", float(p95)), ("max_ms", float(max(values)))]
