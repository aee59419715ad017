"""The task `look_at`: turn the head until the camera points at a thing.

Observation (7): bearing of the thing in the camera, left and up (in `BEARING_SCALE`), whether it is in view, its
distance (0 when unknown), head yaw and pitch (in their ranges), time left. A thing out of view
keeps its bearing: the robot knows where the thing was when it was seen or spoken of, and how it turned since.
Action (2): turn left, turn up, in `STEP` a decision.
"""

from __future__ import annotations

import math

import numpy as np

from reachy_mind.learning.environments.bodies import Array, Mask
from reachy_mind.learning.environments.gaze import (
    BEARING_SCALE,
    PITCH,
    STEP,
    camera_bearing,
    seen_places,
    towards,
    turned,
)
from reachy_mind.learning.environments.scenes import Region, Scenes
from reachy_mind.learning.environments.sight import GEOMETRY, ThingSight, drawn_scenes
from reachy_mind.learning.environments.task import Actions, DetectionErrors, Judged, Observations
from reachy_mind.motion.limits import YAW

__all__ = [
    "BEARING_SCALE",
    "EXPERT_GAIN",
    "MOST_PITCH",
    "MOST_YAW",
    "STEP",
    "SUCCESS",
    "LookAtTask",
    "Region",
    "camera_bearing",
    "control",
    "make",
    "mirrored",
]

MOST_YAW, MOST_PITCH = math.radians(60), math.radians(40)
SUCCESS = math.radians(4)
EXPERT_GAIN = 0.6
"""Share of the remaining bearing that the expert turns in a decision: people slow down before they arrive."""
PROGRESS_WEIGHT, SUCCESS_REWARD = 2.0, 1.0

REGIONS: dict[Scenes, Region] = {
    "usual": Region(),
    "narrow": Region((-25.0, 25.0), (-30.0, -10.0), (0.4, 0.9)),
    "unseen": Region((-75.0, 75.0), (-35.0, 32.0), (0.35, 2.0), without=Region()),
}


def mirrored(observations: Observations, actions: Actions) -> tuple[Observations, Actions]:
    """The examples, and the same with left and right exchanged: the robot is symmetric."""
    seen, done = observations.copy(), actions.copy()
    seen[:, [0, 4]] *= -1
    done[:, 0] *= -1
    return np.concatenate([observations, seen]), np.concatenate([actions, done])


def control(observations: Observations) -> Actions:
    """Turn by a share of the bearing that is observed."""
    left, up = (observations[:, column].astype(np.float64) * BEARING_SCALE for column in (0, 1))
    return towards(left, up, EXPERT_GAIN)


class LookAtTask:
    """One thing in each scene. `sight`: how it is seen."""

    name = "look_at"
    observation_size = 7
    action_size = 2
    horizon = 12

    def __init__(self, count: int, region: Region = Region()) -> None:  # noqa: B008
        self.region = region
        self.sight: ThingSight = GEOMETRY
        self.places: Array = np.zeros((count, 3))
        self._known: Array = np.zeros((count, 3))
        """Where the things were said to be, and then where they were seen last."""
        self._seen: Mask = np.zeros(count, np.bool_)
        self._error: Array = np.zeros(count)
        self._bearing_error: Array = np.zeros((count, 2))

    def reset(self, rng: np.random.Generator, rows: Mask, poses: Array) -> None:
        self.places[rows] = self._known[rows] = drawn_scenes(self.sight, rng, self.region, int(rows.sum()))
        self._error[rows] = camera_bearing(poses[rows], self.places[rows])[2]

    def target(self, actions: Actions, commanded: Array, poses: Array) -> Array:
        return turned(actions, commanded, poses)

    def advance(self, seconds: float) -> None:
        """Nothing moves."""

    def perceive(self, rows: Mask, poses: Array, errors: DetectionErrors) -> None:
        found = self.sight.look(rows, poses, self.places)
        seen = found.seen & ~errors.missed
        self._known[seen] = seen_places(poses[seen], found.left[seen], found.up[seen], found.far[seen])
        self._bearing_error[rows], self._seen[rows] = errors.bearing[rows], seen[rows]

    def observe(self, poses: Array, time_left: Array) -> Observations:
        left, up, _, far = camera_bearing(poses, self._known)
        columns = (
            left / BEARING_SCALE,
            up / BEARING_SCALE,
            self._seen.astype(np.float64),
            np.where(self._seen, far, 0.0),
            poses[:, YAW] / MOST_YAW,
            -poses[:, PITCH] / MOST_PITCH,
            time_left,
        )
        observations: Observations = np.stack(columns, axis=1).astype(np.float32)
        observations[:, :2] += (self._bearing_error / BEARING_SCALE).astype(np.float32)
        return observations

    def judge(self, poses: Array) -> Judged:
        error = camera_bearing(poses, self.places)[2]
        success = error < SUCCESS
        reward = PROGRESS_WEIGHT * (self._error - error) + SUCCESS_REWARD * success
        self._error = error
        return Judged(reward, success, success)

    def expert(self, poses: Array, commanded: Array) -> Actions:  # noqa: ARG002
        left, up, _, _ = camera_bearing(poses, self.places)
        return towards(left, up, EXPERT_GAIN)


def make(count: int, difficulty: float, scenes: Scenes) -> LookAtTask:
    """For so many robots; lower difficulty: things nearer to straight ahead."""
    return LookAtTask(count, REGIONS[scenes].easier(difficulty))
