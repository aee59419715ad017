"""Lateness of the 100 Hz motion loop while two Python threads burn the main process's CPU.

The note `connection` names the line between the two processes; with REACHY_MIND_PORTABLE=1 it is the portable one.

Ours: the motion process, breathing, connected to the simulated robot; with real-time priority where allowed, and
without. Reference: the pattern of a thread in the main process that builds 4x4 poses with numpy, sleeps for the rest of
the period and never skips, written again here. Lateness is of the send time against absolute deadlines.
"""

from __future__ import annotations

import asyncio
import math
import multiprocessing
import multiprocessing.connection
import threading
import time
from pathlib import Path

import numpy as np
import psutil

from reachy_mind.bench import Figures
from reachy_mind.body.address import Address
from reachy_mind.config.configuration import Configuration
from reachy_mind.models.robot_description import DESCRIPTION, compiled_folder
from reachy_mind.models.store import Store
from reachy_mind.motion.client import Motion
from reachy_mind.motion.limits import PERIOD_S
from reachy_mind.sim.launch import Simulator
from reachy_mind.system.packets import connection_name

SECONDS = 60.0
BURNERS = 2


async def measure(configuration: Configuration, seconds: float) -> Figures:
    description = Store(configuration.models_folder).path(DESCRIPTION)
    async with Simulator(description, compiled_folder(configuration), "empty", log_level="warning") as simulator:
        address = Address("127.0.0.1", await simulator.ready())
        ours = await _ours(address, description, seconds, priority=True)
        plain = await _ours(address, description, seconds, priority=False)
    reference = await asyncio.to_thread(_in_process, _source_pattern, min(seconds, 30.0))
    ours |= {f"without_priority_{name}": plain[name] for name in ("p50_ms", "p99_ms", "max_ms", "skipped")}
    ratio = {
        name: round(ours[name] / reference[name], 5) for name in ("p50_ms", "p99_ms", "max_ms", "process_us_per_tick")
    }
    ratio["without_priority_p99_ms"] = round(plain["p99_ms"] / reference["p99_ms"], 5)
    return Figures(ours, reference, ratio, {"connection": connection_name()})


async def _ours(address: Address, description: Path, seconds: float, *, priority: bool) -> dict[str, float]:
    async with Motion(address, description, log_level="error", priority=priority) as motion:
        await motion.wait_connected(20)
        await motion.wake()
        await motion.lateness(clear=True)
        process = psutil.Process(motion.pid)
        before = process.cpu_times()
        with _Burning():
            await asyncio.sleep(seconds)
            figures = await motion.lateness()
        after = process.cpu_times()
        used = after.user + after.system - before.user - before.system
        await motion.sleep()
    figures["process_us_per_tick"] = round(used / figures["ticks"] * 1e6, 1)
    for name in ("compute_p50", "compute_p99"):
        figures[f"{name}_us"] = round(figures.pop(f"{name}_ms") * 1000, 1)
    return figures


class _Burning:
    """Run threads that burn Python CPU, for the duration of a `with`."""

    def __enter__(self) -> None:
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._burn, daemon=True) for _ in range(BURNERS)]
        for thread in self._threads:
            thread.start()

    def _burn(self) -> None:
        number = 0
        while not self._stop.is_set():
            for _ in range(10_000):
                number = (number * 31 + 7) % 1_000_003

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()


def _in_process(target: object, seconds: float) -> dict[str, float]:
    context = multiprocessing.get_context("spawn")
    receive, send = context.Pipe(duplex=False)
    process = context.Process(target=target, args=(seconds, send))  # type: ignore[arg-type]
    process.start()
    try:
        figures: dict[str, float] = receive.recv()
        return figures
    finally:
        process.join()


def _source_pattern(seconds: float, answer: multiprocessing.connection.Connection) -> None:
    late: list[float] = []
    cpu: list[float] = []

    def control() -> None:
        start = time.perf_counter()
        while time.perf_counter() - start < seconds:
            began = time.perf_counter()
            cpu_began = time.thread_time()
            _breathing_pose(began - start)
            late.append(time.perf_counter() - start - len(late) * PERIOD_S)
            cpu.append(time.thread_time() - cpu_began)
            time.sleep(max(0.0, PERIOD_S - (time.perf_counter() - began)))

    with _Burning():
        thread = threading.Thread(target=control)
        thread.start()
        thread.join()
    late.sort()
    answer.send(
        {
            "p50_ms": round(late[len(late) // 2] * 1000, 3),
            "p99_ms": round(late[int(len(late) * 0.99)] * 1000, 3),
            "max_ms": round(late[-1] * 1000, 3),
            "process_us_per_tick": round(sum(cpu) / len(cpu) * 1e6, 1),
            "ticks": float(len(late)),
        }
    )


def _breathing_pose(t: float) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """One tick of the reference: rebuild rotation matrices, compose an offset, flatten the result."""
    share = min(t / 1.0, 1.0)
    pose = _rotation(0.0, 0.3 * (1 - share), 0.2 * (1 - share))
    pose[2, 3] += 0.005 * math.sin(2 * math.pi * 0.2 * t)
    offset = _rotation(0.01 * math.sin(t), 0.02 * math.sin(2 * t), 0.03 * math.sin(3 * t))
    return (offset @ pose).flatten()


def _rotation(roll: float, pitch: float, yaw: float) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    turns = []
    for angle, (i, j) in ((roll, (1, 2)), (pitch, (2, 0)), (yaw, (0, 1))):
        turn = np.eye(4)
        turn[i, i] = turn[j, j] = np.cos(angle)
        turn[i, j], turn[j, i] = -np.sin(angle), np.sin(angle)
        turns.append(turn)
    return turns[2] @ turns[1] @ turns[0]
