"""How many devices can talk with a node of the control plane at the same time.

Ours: `reachy-mind fleet serve` and devices over real WebSockets, each with an open microphone and a question every ten
seconds, more and more of them, until the first sound of the answers comes later than a second (95th percentile) or
answers are missing. Ears, voice and brain are those of a machine without pulled models. The reference is one device
alone on the same machine, in the same run. Devices and node share the cores.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Self

import psutil

from reachy_mind.bench import Figures
from reachy_mind.bench.fleet_processes import ControlNode
from reachy_mind.bench.voice_callers import PERIOD_S, CallTally, SpokenQuestion, caller, spoken_questions
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import NotReady
from reachy_mind.fleet.device.hub_address import HubAddress
from reachy_mind.fleet.device.simulated_device import DeviceCredentials
from reachy_mind.speech import flite

SECONDS: Final = 200.0
LEVELS: Final = (1, 4, 8, 12, 16, 20, 24, 28, 32)
"""Sessions at the same time."""
HELD_S: Final = 18.0
"""A level, of which the beginning does not count: sessions open then."""
SETTLING_S: Final = 3.0
ALONE: Final = 2.0
"""Times longer for the one device alone, which asks so seldom."""
ALLOWED_FAILURES: Final = 1
"""Levels that something else on the machine may spoil before the end is believed."""
MOST_FIRST_SOUND_S: Final = 1.0
MOST_UNANSWERED: Final = 0.05
SPEECH: Final = {"REACHY_MIND_SPEECH__EARS": "moonshine", "REACHY_MIND_SPEECH__VOICE": "flite"}


async def measure(configuration: Configuration, seconds: float) -> Figures:
    del configuration  # the node has one of its own
    if not flite.available():
        raise NotReady("there is no voice on this machine to ask with", hint=flite.HINT)
    environment = {"REACHY_MIND_FLEET__VOICE_SESSIONS": str(max(LEVELS))} | SPEECH
    with tempfile.TemporaryDirectory(prefix="voice-") as folder:
        async with ControlNode(Path(folder) / "node", environment=environment) as node:
            content = {"prefix": "bench", "count": max(LEVELS)}
            made = [DeviceCredentials(**each) for each in await node.request("POST", "devices/bulk", content)]
            async with Callers(HubAddress(node.url), made, await spoken_questions()) as callers:
                return await _levels(node.pid, callers, seconds)


class Callers:
    """Devices with open sessions, more and more of them. Use as `async with`."""

    def __init__(
        self, address: HubAddress, devices: Sequence[DeviceCredentials], questions: Sequence[SpokenQuestion]
    ) -> None:
        self._address, self._devices, self._questions = address, devices, questions
        self._stack = contextlib.AsyncExitStack()
        self._count = 0
        self.tally = CallTally()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def grow(self, count: int) -> None:
        """So many sessions; new ones begin to ask at a random time. Raises NotReady when one is refused."""
        while self._count < count:
            device = self._devices[self._count]
            one = caller(self._address, device, self._questions, self.tally)
            talking = await self._stack.enter_async_context(one)
            first_s = random.uniform(0.5, PERIOD_S)  # noqa: S311 -- a load, no secret
            work = asyncio.create_task(talking.run(first_s), name=f"caller {self._count}")
            self._stack.push_async_callback(cancel_and_wait, work)
            self._count += 1


async def _levels(pid: int, callers: Callers, seconds: float) -> Figures:
    """More and more devices, until the answers come too late or the time is over."""
    share, until = min(1.0, seconds / SECONDS), time.monotonic() + seconds
    before_mb, began = _memory_mb(pid), time.monotonic()
    alone: dict[str, float] = {}
    held: list[dict[str, float]] = []
    failed: list[str] = []
    for level in LEVELS:
        try:
            await callers.grow(level)
        except NotReady as error:
            failed.append(f"{level} sessions: {error.message}")
            break
        opened_ms = 1000 * (time.monotonic() - began)
        await asyncio.sleep(SETTLING_S if alone else PERIOD_S)
        figures = await _held(pid, callers.tally, HELD_S * share * (1.0 if alone else ALONE))
        figures |= {"sessions": float(level), "memory_mb": _memory_mb(pid), "workers": float(len(_workers(pid)))}
        if not alone:
            alone = figures | {"first_session_ms": opened_ms}
        if _good(figures):
            held.append(figures)
        else:
            failed.append(_told(figures))
        if len(failed) > ALLOWED_FAILURES:
            break
        if time.monotonic() > until:
            break
    return _compared(alone, held, before_mb, failed)


async def _held(pid: int, tally: CallTally, seconds: float) -> dict[str, float]:
    """Measure for a while."""
    tally.first_sound_s.clear()
    tally.unanswered = 0
    tally.ended.clear()
    cpu_before, began = _cpu_s(pid), time.monotonic()
    ours_before = sum(psutil.Process().cpu_times()[:2])
    await asyncio.sleep(seconds)
    took = time.monotonic() - began
    times = sorted(1000 * each for each in tally.first_sound_s)
    return {
        "answers": float(len(times)),
        "unanswered": float(tally.unanswered + len(tally.ended)),
        "first_sound_p50_ms": statistics.median(times) if times else 0.0,
        "first_sound_p95_ms": times[min(len(times) - 1, int(0.95 * len(times)))] if times else 0.0,
        "cpu_percent": 100 * (_cpu_s(pid) - cpu_before) / took,
        "devices_cpu_percent": 100 * (sum(psutil.Process().cpu_times()[:2]) - ours_before) / took,
        "load": psutil.getloadavg()[0],
    }


def _good(figures: dict[str, float]) -> bool:
    asked = figures["answers"] + figures["unanswered"]
    enough = figures["unanswered"] <= MOST_UNANSWERED * asked
    return bool(figures["answers"]) and enough and figures["first_sound_p95_ms"] <= 1000 * MOST_FIRST_SOUND_S


def _told(figures: dict[str, float]) -> str:
    return (
        f"{figures['sessions']:g} sessions: first sound p95 {figures['first_sound_p95_ms']:.0f} ms,"
        f" {figures['unanswered']:g} of {figures['answers'] + figures['unanswered']:g} without an answer,"
        f" the node's processor {figures['cpu_percent']:.0f} %, the devices' {figures['devices_cpu_percent']:.0f} %"
    )


def _compared(alone: dict[str, float], held: list[dict[str, float]], before_mb: float, failed: list[str]) -> Figures:
    ours = dict(held[-1]) if held else {}
    same = [figures for figures in held if figures["workers"] == 1]
    if len(same) > 1:  # while one worker has them all: what a session adds
        added = (same[-1]["memory_mb"] - same[0]["memory_mb"]) / (same[-1]["sessions"] - same[0]["sessions"])
        ours["memory_per_session_mb"] = added
    if held:
        ours["cpu_per_session_percent"] = (ours["cpu_percent"] - alone["cpu_percent"]) / max(1.0, ours["sessions"] - 1)
        ours["worker_mb"] = alone["memory_mb"] - before_mb
    ratio = {key: ours[key] / alone[key] for key in ("first_sound_p50_ms", "first_sound_p95_ms") if held and alone[key]}
    rounded = {key: round(value, 1) for key, value in ours.items()}
    notes = {
        "load": "devices and node share the cores; the reference is one session alone in the same run",
        "levels": "; ".join(map(_told, held)),
    }
    return Figures(
        rounded,
        {key: round(value, 1) for key, value in alone.items()},
        {key: round(value, 2) for key, value in ratio.items()},
        notes,
        failed,
    )


def _tree(pid: int) -> list[psutil.Process]:
    with contextlib.suppress(psutil.NoSuchProcess):
        node = psutil.Process(pid)
        return [node, *node.children(recursive=True)]
    return []


def _workers(pid: int) -> list[psutil.Process]:
    workers = []
    for process in _tree(pid):
        with contextlib.suppress(psutil.Error):
            if "reachy_mind.fleet.voice.worker" in process.cmdline():
                workers.append(process)
    return workers


def _memory_mb(pid: int) -> float:
    """What the node and its workers have for themselves."""
    total = 0.0
    for process in _tree(pid):
        with contextlib.suppress(psutil.Error):
            total += process.memory_full_info().uss / 1e6
    return total


def _cpu_s(pid: int) -> float:
    """Of the node, its workers, and programs that they ran to the end."""
    total = 0.0
    for process in _tree(pid):
        with contextlib.suppress(psutil.Error):
            total += sum(process.cpu_times()[:4])
    return total
