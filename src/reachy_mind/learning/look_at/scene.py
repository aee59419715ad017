"""`LookAtScene`: where a thing is; `Miss`: how far the robot looks past it. Degrees left and up, metres."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from reachy_mind.eyes.lens import IN_HEAD_M

AZIMUTHS, ELEVATIONS, DISTANCES_M = (-55.0, 55.0), (-35.0, 25.0), (0.35, 1.2)
MOST_YAW, MOST_PITCH = 60.0, 40.0
"""How far the head is turned."""
SUCCESS_DEGREES = 4.0

Vector = NDArray[np.float64]
Perceived = dict[str, float | None]
"""Where a thing seems to be: `azimuth` and `elevation` in degrees, `distance` in metres."""


@dataclass(frozen=True)
class LookAtScene:
    """A thing in this direction and distance from the pivot of the head."""

    azimuth: float
    elevation: float
    distance: float

    @property
    def place(self) -> Vector:
        """Metres ahead of the neutral head's pivot, to its left, and above it."""
        across, up = math.radians(self.azimuth), math.radians(self.elevation)
        flat = math.cos(up)
        return self.distance * np.array([flat * math.cos(across), flat * math.sin(across), math.sin(up)])

    def as_dict(self) -> Perceived:
        return {"azimuth": self.azimuth, "elevation": self.elevation, "distance": self.distance}


@dataclass(frozen=True)
class Miss:
    """How far the camera has to turn left and up until it points at the thing, and the angle between the two."""

    left: float
    up: float
    angle: float

    @property
    def hit(self) -> bool:
        return self.angle < SUCCESS_DEGREES


def miss(head: Sequence[float], place: Vector) -> Miss:
    """Of a head with this flat 4x4 transform, relative to the neutral head."""
    transform = np.asarray(head, dtype=np.float64).reshape(4, 4)
    ahead, left, up = transform[:3, :3].T @ (place - transform[:3, 3]) - IN_HEAD_M
    far = math.sqrt(ahead * ahead + left * left + up * up)
    return Miss(
        math.degrees(math.atan2(left, ahead)),
        math.degrees(math.atan2(up, math.hypot(ahead, left))),
        math.degrees(math.acos(min(max(ahead / far, -1.0), 1.0))),
    )


class LookAtWorld(Protocol):
    """Where the robot looks at a thing."""

    name: str

    def fits(self, scene: LookAtScene) -> bool:
        """Whether the thing can be there."""
        ...

    def situation(self, scene: LookAtScene) -> Perceived:
        """Where the robot takes the thing to be, before it looks there."""
        ...

    def look(self, scene: LookAtScene, yaw: float, pitch: float) -> Miss:
        """Turn the head to `yaw` degrees left and `pitch` up; returns by how much it misses the thing."""
        ...

    def close(self) -> None: ...


def random_scenes(rng: np.random.Generator, count: int, world: LookAtWorld) -> list[LookAtScene]:
    """Scenes that fit a world."""
    scenes: list[LookAtScene] = []
    while len(scenes) < count:
        scene = LookAtScene(*(float(rng.uniform(*limits)) for limits in (AZIMUTHS, ELEVATIONS, DISTANCES_M)))
        if world.fits(scene):
            scenes.append(scene)
    return scenes
