"""`SimulatedScene`: what somebody does in the room of a simulated robot: put things down, come in, say something."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import Any

import httpx
import numpy as np

from reachy_mind.bench.finding import off
from reachy_mind.bench.scene_setup import MIDDLES_M
from reachy_mind.bench.simulated_room import SimulatedRoom
from reachy_mind.body import protocol
from reachy_mind.motion.client import Motion

TIMEOUT_S = 60.0


class SimulatedScene:
    """The room of one simulated robot. Raises httpx.HTTPError when the simulator refuses something."""

    def __init__(self, url: str, client: httpx.AsyncClient, motion: Motion) -> None:
        self.url, self.client, self._motion = url, client, motion

    async def put(self, name: str, **what: Any) -> None:
        """Put a thing down: the fields of `POST /sim/v1/objects`."""
        (await self.client.post("/objects", json={"name": name, **what})).raise_for_status()

    async def move(self, name: str, place: tuple[float, float]) -> None:
        """Metres ahead of the robot and to its left."""
        (await self.client.put(f"/objects/{name}/position", json={"position": place})).raise_for_status()

    async def things(self) -> dict[str, tuple[float, float, float]]:
        """Where the middle of each thing is."""
        answer = await self.client.get("/objects")
        answer.raise_for_status()
        found = answer.json()["objects"]
        return {each["name"]: _middle(each["name"], each["position"]) for each in found}

    async def come_in(self, name: str, at: tuple[float, float]) -> None:
        """Somebody comes into the room."""
        (await self.client.post("/people", json={"name": name, "at": at})).raise_for_status()

    async def leave(self, name: str) -> None:
        (await self.client.delete(f"/people/{name}")).raise_for_status()

    async def off(self, name: str) -> float:
        """Degrees by which the camera points past a thing, by the simulator's own positions."""
        place = np.array((await self.things())[name])
        return off(self._motion.state.pose, self._motion.kinematics.head_height, place)

    @contextlib.asynccontextmanager
    async def room(self) -> AsyncIterator[SimulatedRoom]:
        """The room's sound: people speak there, and the robot's loudspeaker is recorded."""
        async with SimulatedRoom(int(self.url.rsplit(":", 1)[1])) as room:
            yield room


def _middle(name: str, position: tuple[float, float, float]) -> tuple[float, float, float]:
    x, y, z = position
    return x, y, z + MIDDLES_M.get(name, 0.0)


@contextlib.asynccontextmanager
async def simulated_scene(motion: Motion) -> AsyncIterator[SimulatedScene]:
    """The room of this simulated robot."""
    url = motion.address.http
    async with httpx.AsyncClient(base_url=f"{url}{protocol.SIM_PREFIX}", timeout=TIMEOUT_S, trust_env=False) as client:
        yield SimulatedScene(url, client, motion)
