"""`PictureSight`: what one robot sees of a thing in the picture of its camera, and no more than that.

The detector's box becomes a bearing by the lens; the distance is that of the visible surface. A thing that is hidden,
out of the picture, too far or too dark is not seen. Where things really are is used to put them there, and by the task
to judge.
"""

from __future__ import annotations

import math

import numpy as np

from reachy_mind.errors import InvalidParameter
from reachy_mind.eyes.lens import SIMULATED
from reachy_mind.eyes.objects import DetectedObject
from reachy_mind.learning.environments.bodies import Array, Mask
from reachy_mind.learning.environments.camera_body import FACE, FLOOR_M, CameraBody, PlacedThing
from reachy_mind.learning.environments.find_object import FindObjectTask
from reachy_mind.learning.environments.look_at import LookAtTask
from reachy_mind.learning.environments.sight import ThingsSeen
from reachy_mind.learning.environments.task import BatchTask
from reachy_mind.learning.environments.thing_kinds import KINDS, ThingKind, ThingSet
from reachy_mind.learning.environments.track_face import TrackFaceTask

HALF_HEAD_M = 0.118
"""Of a simulated person, upwards."""
NOTHING = ThingsSeen(np.zeros(1, np.bool_), np.zeros(1), np.zeros(1), np.zeros(1))


class PictureSight:
    """Of the thing of each scene, which is one of `kinds`. `others`: what else stands there, and may hide it."""

    def __init__(self, body: CameraBody, kinds: tuple[ThingKind, ...]) -> None:
        self._body, self._kinds = body, kinds
        self.kind, self.yaw = kinds[0], 0.0
        self.others: tuple[PlacedThing, ...] = ()

    def begin(self, rng: np.random.Generator) -> None:
        """A thing of any kind, turned anyhow."""
        self.kind = self._kinds[int(rng.integers(len(self._kinds)))]
        self.yaw = float(rng.uniform(-math.pi, math.pi))

    def fits(self, things: Array) -> bool:
        """Not where it would be in the floor."""
        return bool((things[:, 2] - self.kind.half_height >= FLOOR_M).all())

    def look(self, rows: Mask, poses: Array, things: Array) -> ThingsSeen:  # noqa: ARG002 -- the picture is from there
        if not rows[0]:
            return NOTHING
        seen = self._body.see((PlacedThing(self.kind, things[0], self.yaw), *self.others))
        return sighting(next((each for each in seen if each.name == self.kind.name), None))


class FaceInPicture:
    """The face of a person who looks at the robot."""

    def __init__(self, body: CameraBody) -> None:
        self._body = body

    def begin(self, rng: np.random.Generator) -> None:
        """It is always the same person."""

    def fits(self, things: Array) -> bool:
        """Not where the head would be in the floor."""
        return bool((things[:, 2] - HALF_HEAD_M >= FLOOR_M).all())

    def look(self, rows: Mask, poses: Array, things: Array) -> ThingsSeen:  # noqa: ARG002 -- the picture is from there
        if not rows[0]:
            return NOTHING
        return sighting(next((each for each in self._body.see((), things[0]) if each.name == FACE), None))


def sighting(found: DetectedObject | None) -> ThingsSeen:
    """The bearing of the middle of a box."""
    if found is None or found.distance_m is None:
        return NOTHING
    ahead, left, up = SIMULATED.ray(*found.box.centre)
    bearing = math.atan2(left, ahead), math.atan2(up, math.hypot(ahead, left))
    return ThingsSeen(np.ones(1, np.bool_), *(np.array([value]) for value in (*bearing, found.distance_m)))


def look_through(body: CameraBody, task: BatchTask, things: ThingSet = "usual") -> None:
    """From now on the robot of this task sees what the camera shows. Raises InvalidParameter for a task in which it
    looks at nothing."""
    match task:
        case LookAtTask() | FindObjectTask():
            task.sight = PictureSight(body, KINDS[things])
        case TrackFaceTask():
            task.sight = FaceInPicture(body)
        case _:
            hint = "look_at, find_object or track_face; for others: body physics"
            raise InvalidParameter(f"the task {task.name} has no single thing to see with a camera", hint=hint)
