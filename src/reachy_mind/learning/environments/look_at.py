"""The task `look_at`: turn the head until the camera points at a thing.

Observation (7): bearing of the thing in the camera, left and up (in `BEARING_SCALE`), whether it is in view, its
distance (0 when unknown), head yaw and pitch (in their ranges), time left. A thing out of view
keeps its bearing: the robot knows where the thing was when it was seen or spoken of, and how it turned since.
Action (2): turn left, turn up, in `STEP` a decision.
"""

from __future__ import annotations

import math

import numpy as np

from reachy_mind.eyes.lens import IN_HEAD_M
from reachy_mind.learning.environments.bodies import Array, Mask
from reachy_mind.learning.environments.scenes import Region, Scenes, places
from reachy_mind.learning.environments.task import Actions, Judged, Observations
from reachy_mind.motion.limits import BODY_YAW, NAMES, YAW
from reachy_mind.tools.builtin.aiming import NECK

PITCH = NAMES.index("pitch")
STEP = math.radians(15)
MOST_YAW, MOST_PITCH = math.radians(60), math.radians(40)
SUCCESS = math.radians(4)
BEARING_SCALE = math.radians(60)
EXPERT_GAIN = 0.6
"""Share of the remaining bearing that the expert turns in a decision: people slow down before they arrive."""
HALF_VIEW = (math.radians(52), math.radians(38))
"""Half of the camera's field of view, sideways and up."""
PROGRESS_WEIGHT, SUCCESS_REWARD, STEP_COST = 2.0, 1.0, 0.05


REGIONS: dict[Scenes, Region] = {
    "usual": Region(),
    "narrow": Region((-25.0, 25.0), (-30.0, -10.0), (0.4, 0.9)),
    "unseen": Region((-75.0, 75.0), (-35.0, 32.0), (0.35, 2.0), without=Region()),
}


def camera_bearing(poses: Array, places: Array) -> tuple[Array, Array, Array, Array]:
    """How far the cameras of these heads would have to turn left and up to point at the places, the angle between, and
    the distance in metres. Places are relative to the pivot of the neutral head."""
    x, y, z, roll, pitch, yaw = (poses[:, column] for column in range(6))
    cr, sr, cp, sp, cy, sy = np.cos(roll), np.sin(roll), np.cos(pitch), np.sin(pitch), np.cos(yaw), np.sin(yaw)
    dx, dy, dz = places[:, 0] - x, places[:, 1] - y, places[:, 2] - z
    ahead = cy * cp * dx + sy * cp * dy - sp * dz - IN_HEAD_M[0]
    left = (cy * sp * sr - sy * cr) * dx + (sy * sp * sr + cy * cr) * dy + cp * sr * dz - IN_HEAD_M[1]
    up = (cy * sp * cr + sy * sr) * dx + (sy * sp * cr - cy * sr) * dy + cp * cr * dz - IN_HEAD_M[2]
    flat = np.hypot(ahead, left)
    far = np.hypot(flat, up)
    angle = np.arccos(np.clip(ahead / np.maximum(far, 1e-9), -1.0, 1.0))
    return np.arctan2(left, ahead), np.arctan2(up, flat), angle, far


def mirrored(observations: Observations, actions: Actions) -> tuple[Observations, Actions]:
    """The examples, and the same with left and right exchanged: the robot is symmetric."""
    seen, done = observations.copy(), actions.copy()
    seen[:, [0, 4]] *= -1
    done[:, 0] *= -1
    return np.concatenate([observations, seen]), np.concatenate([actions, done])


def control(observations: Observations) -> Actions:
    """Turn by a share of the bearing that is observed."""
    return np.clip(EXPERT_GAIN * observations[:, :2] * (BEARING_SCALE / STEP), -1.0, 1.0).astype(np.float32)


class LookAtTask:
    """One thing in each scene."""

    name = "look_at"
    observation_size = 7
    action_size = 2
    horizon = 12
    bearing_scale = BEARING_SCALE

    def __init__(self, count: int, region: Region = Region()) -> None:  # noqa: B008
        self.region = region
        self.places: Array = np.zeros((count, 3))
        self._error: Array = np.zeros(count)

    def reset(self, rng: np.random.Generator, rows: Mask, poses: Array) -> None:
        self.places[rows] = places(*self.region.draw(rng, int(rows.sum())))
        self._error[rows] = camera_bearing(poses[rows], self.places[rows])[2]

    def target(self, actions: Actions, commanded: Array) -> Array:
        wanted = commanded.copy()
        wanted[:, YAW] += actions[:, 0] * STEP
        wanted[:, PITCH] -= actions[:, 1] * STEP
        # The body turns along where the neck would bend too far, as when the robot is told to look there.
        wanted[:, BODY_YAW] = np.clip(wanted[:, BODY_YAW], wanted[:, YAW] - NECK, wanted[:, YAW] + NECK)
        return wanted

    def advance(self, seconds: float) -> None:
        """Nothing moves."""

    def observe(self, poses: Array, time_left: Array) -> Observations:
        left, up, _, far = camera_bearing(poses, self.places)
        seen = (np.abs(left) < HALF_VIEW[0]) & (np.abs(up) < HALF_VIEW[1])
        columns = (
            left / BEARING_SCALE,
            up / BEARING_SCALE,
            seen.astype(np.float64),
            np.where(seen, far, 0.0),
            poses[:, YAW] / MOST_YAW,
            -poses[:, PITCH] / MOST_PITCH,
            time_left,
        )
        return np.stack(columns, axis=1).astype(np.float32)

    def judge(self, poses: Array) -> Judged:
        error = camera_bearing(poses, self.places)[2]
        success = error < SUCCESS
        reward = PROGRESS_WEIGHT * (self._error - error) + SUCCESS_REWARD * success
        self._error = error
        return Judged(reward, success, success)

    def expert(self, poses: Array, commanded: Array) -> Actions:  # noqa: ARG002
        left, up, _, _ = camera_bearing(poses, self.places)
        return np.clip(EXPERT_GAIN * np.stack([left, up], axis=1) / STEP, -1.0, 1.0).astype(np.float32)


def make(count: int, difficulty: float, scenes: Scenes) -> LookAtTask:
    """For so many robots; lower difficulty: things nearer to straight ahead."""
    return LookAtTask(count, REGIONS[scenes].easier(difficulty))
