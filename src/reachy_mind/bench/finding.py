"""Time of object detection, and accuracy of looking at an object.

Ours: `look_at_object`, which corrects after each movement; in the simulator, on the duck in several places. The error
comes from the simulator's positions of duck and head, not from the picture. Reference: the same places, aimed at once
from the first picture. Times are of one picture each: rendering, the simulator's segmentation, a pulled detector, OCR.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, replace

import httpx
import numpy as np

from reachy_mind.bench import Figures
from reachy_mind.body.pose import AWAKE, Pose
from reachy_mind.config.configuration import Configuration
from reachy_mind.config.settings import EyesSettings
from reachy_mind.errors import MindError
from reachy_mind.eyes import object_detectors
from reachy_mind.eyes.lens import IN_HEAD_M
from reachy_mind.mind import Mind
from reachy_mind.models.store import Store
from reachy_mind.motion.client import Motion
from reachy_mind.tools.builtin.aiming import wait_still
from reachy_mind.tools.builtin.head import facing

SECONDS = 60.0
PLACES = ((0.5, 0.2), (0.45, -0.25), (0.35, 0.28), (0.7, 0.1), (0.3, -0.2), (0.6, 0.3))
"""Metres ahead and to the left, all in view from the start."""
THING = "duck"
MIDDLE_M = 0.057
"""From the duck's foot to the middle of its mesh, 0.114 m high: from the model, not from a measured look."""
PERIOD_S = 0.05
LOOKS = 15


@dataclass
class LookTrack:
    """Degrees between the camera's axis and the object, over seconds."""

    times: list[float]
    errors: list[float]


@contextlib.asynccontextmanager
async def watched(configuration: Configuration) -> AsyncIterator[tuple[Mind, httpx.AsyncClient]]:
    """A mind with a simulated robot without idle motion, and a client of the simulator's routes."""
    settings = configuration.settings
    quiet = settings.model_copy(update={"robot": settings.robot.model_copy(update={"address": "sim", "idle": False})})
    mind = Mind(replace(configuration, settings=quiet), owner=False, thinks=False, memory=False)
    async with mind.session():
        address = mind.body().address
        async with httpx.AsyncClient(base_url=f"{address.http}/sim/v1", timeout=60) as sim:
            await mind.body().wake()
            yield mind, sim


async def put(sim: httpx.AsyncClient, place: tuple[float, float]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Put the object at a place; returns the position of its middle."""
    await sim.put(f"/objects/{THING}/position", json={"position": place})
    await asyncio.sleep(0.3)  # it falls a millimetre
    x, y, z = (await sim.get(f"/objects/{THING}")).json()["position"]
    return np.array([x, y, z + MIDDLE_M])


def off(pose: Pose, height: float, thing: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    """Degrees between the camera's axis and an object; `height` is that of the head at rest."""
    head = np.array(pose.head_matrix()).reshape(4, 4)
    camera = head[:3, :3] @ np.array(IN_HEAD_M) + head[:3, 3] + np.array([0.0, 0.0, height])
    away = thing - camera
    return math.degrees(math.acos(float(np.clip(head[:3, 0] @ away / np.linalg.norm(away), -1.0, 1.0))))


async def traced(
    motion: Motion, thing: np.ndarray[tuple[int], np.dtype[np.float64]], act: Callable[[], Awaitable[object]]
) -> LookTrack:
    """The error over time during `act`, and a little longer."""
    track, begin = LookTrack([], []), time.monotonic()

    def note() -> None:
        track.times.append(time.monotonic() - begin)
        track.errors.append(off(motion.state.pose, motion.kinematics.head_height, thing))

    doing = asyncio.ensure_future(act())
    while not doing.done():
        note()
        await asyncio.sleep(PERIOD_S)
    await doing
    for _ in range(10):
        note()
        await asyncio.sleep(PERIOD_S)
    return track


async def once(mind: Mind) -> None:
    """The reference: one movement, by the first picture only."""
    motion, sight = mind.body(), mind.sight
    picture = await sight.look()
    found = await sight.things(picture, [THING])
    yaw, pitch = sight.lens.direction(*found[0].box.centre, sight.pose_at(picture.taken_at))
    await motion.goto(facing(motion.state.command, Pose(yaw=yaw, pitch=pitch)), 1.0, clamp=True)
    await wait_still(motion)


async def found(mind: Mind) -> None:
    outcome = await mind.toolbox.call("look_at_object", {"name": THING})
    if outcome.status != "ok":
        raise MindError(f"look_at_object: {outcome.error}")


async def measure(configuration: Configuration, seconds: float) -> Figures:
    ours: dict[str, float] = {}
    closed: list[LookTrack] = []
    opened: list[LookTrack] = []
    async with watched(configuration) as (mind, sim):
        motion = mind.body()
        ours |= await _times(mind, configuration)
        deadline = time.monotonic() + seconds
        for place in PLACES:
            if closed and time.monotonic() > deadline:
                break
            thing = await put(sim, place)
            for tracks, act in ((opened, once), (closed, found)):
                await motion.goto(AWAKE, 1.0)
                await wait_still(motion)
                tracks.append(await traced(motion, thing, lambda act=act: act(mind)))  # type: ignore[misc]
    ours |= _figures(closed)
    reference = _figures(opened)
    both = "mean_error_degrees", "worst_error_degrees", "mean_s"
    ratio = {name: round(ours[name] / max(reference[name], 1e-6), 3) for name in both}
    return Figures(ours, reference, ratio)


def _figures(tracks: list[LookTrack]) -> dict[str, float]:
    ends = [track.errors[-1] for track in tracks]
    return {
        "looks": float(len(tracks)),
        "mean_error_degrees": round(statistics.mean(ends), 3),
        "worst_error_degrees": round(max(ends), 3),
        "mean_s": round(statistics.mean(track.times[-10] for track in tracks), 2),
    }


async def _times(mind: Mind, configuration: Configuration) -> dict[str, float]:
    """Milliseconds for a picture, by step; steps that are not installed or pulled are left out."""
    sight, times = mind.sight, dict[str, float]()
    picture = await sight.look()
    times["picture_p50_ms"] = await _p50(sight.look)
    times["segmentation_p50_ms"] = await _p50(lambda: sight.things(picture))
    for name in object_detectors.DOWNLOADABLE_DETECTORS:
        with contextlib.suppress(MindError):
            detector = object_detectors.choose(EyesSettings(detector=name), Store(configuration.models_folder), None)
            times[f"{name.replace('-', '_')}_p50_ms"] = await _p50(lambda detector=detector: detector.detect(picture))  # type: ignore[misc]
            await detector.aclose()
    with contextlib.suppress(MindError):
        times["text_p50_ms"] = await _p50(lambda: sight.texts(picture), 5)
    return times


async def _p50(act: Callable[[], Awaitable[object]], times: int = LOOKS) -> float:
    await act()  # warm up: start the process, load the model
    spent = []
    for _ in range(times):
        begin = time.perf_counter()
        await act()
        spent.append(time.perf_counter() - begin)
        await asyncio.sleep(PERIOD_S)  # frames are shared for less than that
    return round(statistics.median(spent) * 1000, 1)
