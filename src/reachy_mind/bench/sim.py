"""Real-time factor of the simulator while its camera renders 15 frames a second at 640x360.

Ours: the daemon, with a client that reads the camera stream and one that reads `/ws/sdk`; once as it starts, and once
with three people walking, ten objects, and one core for daemon and camera together. Reference: the same physics paced
like the vendor's simulator, one 2 ms step and a sleep for its rest, without catching up.
"""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import multiprocessing.connection
import time
from pathlib import Path

import httpx
import psutil
import websockets

from reachy_mind.bench import Figures
from reachy_mind.config.configuration import Configuration
from reachy_mind.models.robot_description import DESCRIPTION, compiled_folder
from reachy_mind.models.store import Store
from reachy_mind.sim.launch import Simulator

SECONDS = 60.0


async def measure(configuration: Configuration, seconds: float) -> Figures:
    description = Store(configuration.models_folder).path(DESCRIPTION)
    cache = compiled_folder(configuration)
    ours = await _ours(description, cache, seconds)
    crowded = await _ours(description, cache, seconds, crowded=True)
    ours |= {f"crowded_{name}": value for name, value in crowded.items()}
    factor = await asyncio.to_thread(_reference, description, cache, min(seconds, 15.0))
    reference = {"real_time_factor": round(factor, 4)}
    return Figures(ours, reference, {"real_time_factor": round(ours["real_time_factor"] / factor, 4)})


async def _ours(description: Path, cache: Path, seconds: float, *, crowded: bool = False) -> dict[str, float]:
    async with Simulator(description, cache, "table", log_level="warning") as simulator:
        process = psutil.Process(simulator.pid)
        if crowded and hasattr(process, "cpu_affinity"):
            process.cpu_affinity([max(process.cpu_affinity() or [0])])  # its camera process inherits it
        base = f"http://127.0.0.1:{await simulator.ready()}"
        async with httpx.AsyncClient(base_url=base, timeout=60) as http:
            if crowded:
                await _crowd(http)
            await http.get("/sim/v1/camera/frame.jpg")  # the camera process starts with the first frame
            counts = {"frames": 0, "states": 0}
            readers = [
                asyncio.create_task(_read_camera(base, counts)),
                asyncio.create_task(_read_states(simulator.port, counts)),
            ]
            family = [process, *process.children(recursive=True)]
            before, cpu_before, wall_before = await _sim_s(http), _cpu_s(family), time.monotonic()
            frames_before, states_before = counts["frames"], counts["states"]
            await asyncio.sleep(seconds)
            after, wall = await _sim_s(http), time.monotonic() - wall_before
            used = _cpu_s(family) - cpu_before
            memory = sum(p.memory_info().rss for p in family) / 1e6
            for reader in readers:
                reader.cancel()
            await asyncio.gather(*readers, return_exceptions=True)
    return {
        "real_time_factor": round((after - before) / wall, 4),
        "frames_per_s": round((counts["frames"] - frames_before) / wall, 2),
        "states_per_s": round((counts["states"] - states_before) / wall, 2),
        "cpu_share_of_one_core": round(used / wall, 3),
        "memory_mb": round(memory, 1),
        "seconds": round(wall, 1),
    }


async def _crowd(http: httpx.AsyncClient) -> None:
    """Add seven objects to the table's three, and three people who walk longer than the measurement."""
    for number in range(7):
        shape = ("box", "sphere", "cylinder", "capsule")[number % 4]
        position = [0.3 + 0.09 * (number // 4), -0.28 + 0.14 * (number % 4)]
        wish = {"shape": shape, "position": position, "color": [number / 7, 0.5, 1 - number / 7]}
        (await http.post("/sim/v1/objects", json=wish)).raise_for_status()
    for number in range(3):
        person = {"name": f"person-{number}", "at": [1 + 0.3 * number, -0.6 + 0.6 * number]}
        (await http.post("/sim/v1/people", json=person)).raise_for_status()
        walk = {"to": [2 - 0.3 * number, 0.6 - 0.6 * number], "speed": 0.01, "looking": "robot"}
        (await http.post(f"/sim/v1/people/person-{number}/walk", json=walk)).raise_for_status()


async def _sim_s(http: httpx.AsyncClient) -> float:
    return float((await http.get("/sim/v1/time")).json()["sim_s"])


def _cpu_s(family: list[psutil.Process]) -> float:
    return sum(p.cpu_times().user + p.cpu_times().system for p in family)


async def _read_camera(base: str, counts: dict[str, int]) -> None:
    async with (
        httpx.AsyncClient(timeout=60) as http,
        http.stream("GET", f"{base}/sim/v1/camera/stream") as stream,
    ):
        async for chunk in stream.aiter_bytes():
            counts["frames"] += chunk.count(b"--frame\r\n")


async def _read_states(port: int, counts: dict[str, int]) -> None:
    async with websockets.connect(f"ws://127.0.0.1:{port}/ws/sdk", compression=None) as socket:
        async for message in socket:
            counts["states"] += '"head_pose"' in str(message)


def _reference(description: Path, cache: Path, seconds: float) -> float:
    context = multiprocessing.get_context("spawn")
    receive, send = context.Pipe(duplex=False)
    process = context.Process(target=_sleep_paced, args=(description, cache, seconds, send))
    process.start()
    try:
        return float(receive.recv())
    finally:
        process.join()


def _sleep_paced(description: Path, cache: Path, seconds: float, answer: multiprocessing.connection.Connection) -> None:
    from reachy_mind.sim.scene import TIMESTEP_S
    from reachy_mind.sim.world import SimulatedWorld

    world = SimulatedWorld(description, "table", cache)
    start = time.monotonic()
    while time.monotonic() - start < seconds:
        began = time.monotonic()
        world.step(1)
        time.sleep(max(0.0, TIMESTEP_S - (time.monotonic() - began)))
    with contextlib.suppress(BrokenPipeError):
        answer.send(world.time / (time.monotonic() - start))
