"""`SceneSetup`: sets up the simulator's scene for a case of the benchmark tasks, and records what the robot does."""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import AsyncIterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import numpy as np
from PIL import Image

from reachy_mind.bench.finding import MIDDLE_M, off
from reachy_mind.bench.task_cases import Case, Evidence, Sample, Scene
from reachy_mind.body import wav
from reachy_mind.brains.brain import Brain, Thought, Turn
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.config.configuration import Configuration
from reachy_mind.mind import Mind
from reachy_mind.storage.home import Home
from reachy_mind.tools.builtin.aiming import wait_still
from reachy_mind.workshop.author.author import ToolAuthor

PERIOD_S = 0.05
DEFAULT_POSITIONS = {"apple": (0.5, -0.169), "croissant": (0.537, 0.023), "duck": (0.5, 0.2)}
CONNECT_TIMEOUT_S = 60.0
MOVING = math.radians(4)
MIDDLES_M = {"duck": MIDDLE_M, "apple": 0.035, "croissant": 0.025}
"""From foot to middle; for other objects the simulator reports the middle."""


@contextlib.asynccontextmanager
async def quiet(
    configuration: Configuration, author: ToolAuthor | None = None, home: Path | None = None
) -> AsyncIterator[tuple[Mind, SceneSetup]]:
    """A mind with a simulated robot without idle behaviour, in a temporary data folder. `author`: see `Mind`; `home`: a
    data folder that stays, for a mind that remembers."""
    settings = configuration.settings
    robot = settings.robot.model_copy(
        update={"address": "sim", "idle": False, "scene": "table", "connect_timeout_s": CONNECT_TIMEOUT_S}
    )
    folders = settings.models.model_copy(update={"folder": configuration.models_folder})
    changed = settings.model_copy(update={"robot": robot, "models": folders})
    with TemporaryDirectory() as folder:
        elsewhere = Configuration(changed, Home(home or Path(folder)), configuration.origins)
        slot = SharedBrainSlot()
        async with (
            Mind(elsewhere, brain=slot, memory=home is not None, author=author).session() as mind,
            httpx.AsyncClient(base_url=f"{mind.body().address.http}/sim/v1", timeout=60) as sim,
        ):
            await mind.act("head_tracking", {"enabled": False})
            yield mind, SceneSetup(mind, sim, slot)


class SharedBrainSlot:
    """A brain that delegates to the brain under test, so that several share one robot."""

    name = "nobody"
    brain: Brain

    def take(self, brain: Brain) -> None:
        self.brain, self.name = brain, brain.name

    def think(self, turn: Turn) -> AsyncIterator[Thought]:
        return self.brain.think(turn)


class SceneSetup:
    """The scene of one mind and its simulator."""

    def __init__(self, mind: Mind, sim: httpx.AsyncClient, slot: SharedBrainSlot) -> None:
        self._mind, self._sim, self.slot = mind, sim, slot
        self._photos_before: list[Path] = []
        self._began = 0.0

    async def set(self, scene: Scene) -> None:
        """Set the default scene with these changes; the robot is awake, at rest, facing the front."""
        for person in (await self._got("/people"))["people"]:
            await self._sim.delete(f"/people/{person['name']}")
        there = [thing["name"] for thing in (await self._got("/objects"))["objects"]]
        for name in set(there) - set(DEFAULT_POSITIONS):
            await self._sim.delete(f"/objects/{name}")
        for name in set(DEFAULT_POSITIONS) - set(there):
            await self._posted("/objects", {"shape": name, "name": name, "position": DEFAULT_POSITIONS[name]})
        places = DEFAULT_POSITIONS | scene.move
        for name in there:  # first move them out of each other's way
            if name in places:
                await self._sim.put(f"/objects/{name}/position", json={"position": (-1.0, len(name) / 5)})
        for name, place in places.items():
            if name in scene.remove:
                await self._sim.delete(f"/objects/{name}")
            else:
                moved = await self._sim.put(f"/objects/{name}/position", json={"position": place})
                moved.raise_for_status()
        await self._added(scene)
        await self._mind.body().wait_connected(CONNECT_TIMEOUT_S)  # a busy machine may lose the connection
        await self._mind.act("wake_up")
        await self._mind.act("rest", {"speed": "fast"})
        await wait_still(self._mind.body())

    async def change(self, scene: Scene) -> None:
        """Change the scene as it is now."""
        for name in scene.remove:
            (await self._sim.delete(f"/objects/{name}")).raise_for_status()
        for name, place in scene.move.items():
            (await self._sim.put(f"/objects/{name}/position", json={"position": place})).raise_for_status()
        await self._added(scene)

    async def _added(self, scene: Scene) -> None:
        for thing in scene.add:
            await self._posted("/objects", thing)
        for person in scene.people:
            await self._posted("/people", person)

    @contextlib.asynccontextmanager
    async def watching(self) -> AsyncIterator[Evidence]:
        """Record the robot's pose at 20 Hz for the duration of the block."""
        seen = Evidence()
        watch = asyncio.create_task(self._watch(seen), name="setup")
        self._photos_before = self._photos()
        self._began = time.monotonic()
        try:
            yield seen
        finally:
            await cancel_and_wait(watch)

    async def until_moving(self, asking: asyncio.Task[Any]) -> None:
        """Wait until the robot moves, or the turn has ended."""
        motion = self._mind.body()
        start = motion.state.pose
        while not asking.done():
            await asyncio.sleep(PERIOD_S)
            if motion.state.pose.distance(start) >= MOVING:
                return

    async def look_again(self, seen: Evidence, case: Case) -> None:
        """Complete the evidence at the end of a case; where it must be at rest, over a second."""
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
        content: dict[str, Any] = answer.json()
        return content

    async def _posted(self, path: str, what: dict[str, Any]) -> None:
        (await self._sim.post(path, json=what)).raise_for_status()


def _middle(thing: dict[str, Any]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    x, y, z = thing["position"]
    return np.array([x, y, z + MIDDLES_M.get(thing["name"], 0.0)])


def _written(file: Path) -> float:
    """The modification time. Raises what Pillow raises for a file that is no picture."""
    with Image.open(file) as picture:
        picture.load()
    return file.stat().st_mtime


def _loudest(content: bytes) -> float:
    return float(np.abs(wav.read(content)).max(initial=0.0))
