"""`Stagehand`: sets the simulator's scene for a case of the benchmark tasks, and watches what the robot does in it."""

from __future__ import annotations

import asyncio
import contextlib
import io
import math
import time
import wave
from collections.abc import AsyncIterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import numpy as np
from PIL import Image

from reachy_mind.bench.cases import Case, Evidence, Sample, Scene
from reachy_mind.bench.finding import MIDDLE_M, off
from reachy_mind.brains.thought import Brain, Thought, Turn
from reachy_mind.config import Configuration, Home
from reachy_mind.ending import ended
from reachy_mind.mind import Mind
from reachy_mind.tools.builtin.aiming import settled

PERIOD_S = 0.05
USUAL = {"apple": (0.5, -0.169), "croissant": (0.537, 0.023), "duck": (0.5, 0.2)}
PATIENCE_S = 60.0
MOVING = math.radians(4)
MIDDLES_M = {"duck": MIDDLE_M, "apple": 0.035, "croissant": 0.025}
"""From foot to middle; of other things the simulator tells the middle."""


@contextlib.asynccontextmanager
async def quiet(configuration: Configuration) -> AsyncIterator[tuple[Mind, Stagehand]]:
    """A mind with a simulated robot, in a data folder of its own, that does nothing by itself."""
    settings = configuration.settings
    robot = settings.robot.model_copy(
        update={"address": "sim", "idle": False, "scene": "table", "connect_timeout_s": PATIENCE_S}
    )
    folders = settings.models.model_copy(update={"folder": configuration.models_folder})
    changed = settings.model_copy(update={"robot": robot, "models": folders})
    with TemporaryDirectory() as folder:
        elsewhere = Configuration(changed, Home(Path(folder)), configuration.origins)
        seat = Seat()
        async with (
            Mind(elsewhere, brain=seat, memory=False).session() as mind,
            httpx.AsyncClient(base_url=f"{mind.body().address.http}/sim/v1", timeout=60) as sim,
        ):
            await mind.act("head_tracking", {"enabled": False})
            yield mind, Stagehand(mind, sim, seat)


class Seat:
    """Where brains take turns, so that they share one robot."""

    name = "nobody"
    brain: Brain

    def take(self, brain: Brain) -> None:
        self.brain, self.name = brain, brain.name

    def think(self, turn: Turn) -> AsyncIterator[Thought]:
        return self.brain.think(turn)


class Stagehand:
    """For one mind and its simulator."""

    def __init__(self, mind: Mind, sim: httpx.AsyncClient, seat: Seat) -> None:
        self._mind, self._sim, self.seat = mind, sim, seat
        self._photos_before: list[Path] = []
        self._began = 0.0

    async def set(self, scene: Scene) -> None:
        """The usual scene with these changes, the robot awake, at rest, facing the front."""
        for person in (await self._got("/people"))["people"]:
            await self._sim.delete(f"/people/{person['name']}")
        there = [thing["name"] for thing in (await self._got("/objects"))["objects"]]
        for name in set(there) - set(USUAL):
            await self._sim.delete(f"/objects/{name}")
        for name in set(USUAL) - set(there):
            await self._posted("/objects", {"shape": name, "name": name, "position": USUAL[name]})
        places = USUAL | scene.move
        for name in there:  # out of each other's way first
            if name in places:
                await self._sim.put(f"/objects/{name}/position", json={"position": (-1.0, len(name) / 5)})
        for name, place in places.items():
            if name in scene.remove:
                await self._sim.delete(f"/objects/{name}")
            else:
                moved = await self._sim.put(f"/objects/{name}/position", json={"position": place})
                moved.raise_for_status()
        for thing in scene.add:
            await self._posted("/objects", thing)
        for person in scene.people:
            await self._posted("/people", person)
        await self._mind.body().wait_connected(PATIENCE_S)  # a busy machine loses the line now and then
        await self._mind.act("wake_up")
        await self._mind.act("rest", {"speed": "fast"})
        await settled(self._mind.body())

    @contextlib.asynccontextmanager
    async def watching(self) -> AsyncIterator[Evidence]:
        """Where the robot is, twenty times a second, from now on."""
        seen = Evidence()
        watch = asyncio.create_task(self._watch(seen), name="stagehand")
        self._photos_before = self._photos()
        self._began = time.monotonic()
        try:
            yield seen
        finally:
            await ended(watch)

    async def until_moving(self, asking: asyncio.Task[Any]) -> None:
        """Wait until the robot is well on its way, or the turn that was to move it has ended."""
        motion = self._mind.body()
        start = motion.state.pose
        while not asking.done():
            await asyncio.sleep(PERIOD_S)
            if motion.state.pose.distance(start) >= MOVING:
                return

    async def look_again(self, seen: Evidence, case: Case) -> None:
        """How things are now that it is over; where it must be at rest, over a second."""
        await asyncio.sleep(1.5 if case.world.still is not None else 0.3)
        new = [file for file in self._photos() if file not in self._photos_before]
        seen.photos = [await asyncio.to_thread(_written, file) for file in new]
        things = (await self._got("/objects"))["objects"]
        height = self._mind.body().kinematics.head_height
        seen.trace.append(Sample(time.time(), self._mind.body().state.pose))
        seen.off = {
            thing["name"]: [off(sample.pose, height, _middle(thing)) for sample in seen.trace] for thing in things
        }
        if case.world.spoke:
            seconds = min(60.0, time.monotonic() - self._began + 1)
            played = await self._sim.get("/audio/speaker.wav", params={"seconds": seconds})
            seen.loudest = _loudest(played.content)

    async def _watch(self, seen: Evidence) -> None:
        while True:
            seen.trace.append(Sample(time.time(), self._mind.body().state.pose))
            await asyncio.sleep(PERIOD_S)

    def _photos(self) -> list[Path]:
        return sorted(self._mind.configuration.home.photos_folder.glob("*.jpg"))

    async def _got(self, path: str) -> dict[str, Any]:
        answer = await self._sim.get(path)
        answer.raise_for_status()
        told: dict[str, Any] = answer.json()
        return told

    async def _posted(self, path: str, what: dict[str, Any]) -> None:
        (await self._sim.post(path, json=what)).raise_for_status()


def _middle(thing: dict[str, Any]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    x, y, z = thing["position"]
    return np.array([x, y, z + MIDDLES_M.get(thing["name"], 0.0)])


def _written(file: Path) -> float:
    """When; raises what the picture's library raises for a file that is none."""
    with Image.open(file) as picture:
        picture.load()
    return file.stat().st_mtime


def _loudest(content: bytes) -> float:
    with wave.open(io.BytesIO(content)) as sound:
        samples = np.frombuffer(sound.readframes(sound.getnframes()), np.int16)
    return float(np.abs(samples.astype(np.float64)).max(initial=0.0) / 32768)
