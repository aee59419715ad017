"""Where the camera points, and how actions turn it: for every task in which the robot looks at something."""

from __future__ import annotations

import math

import numpy as np

from reachy_mind.eyes.lens import IN_HEAD_M
from reachy_mind.learning.environments.bodies import Array, Mask
from reachy_mind.learning.environments.task import Actions
from reachy_mind.motion.limits import BODY_YAW, NAMES, YAW
from reachy_mind.tools.builtin.aiming import NECK

PITCH = NAMES.index("pitch")
STEP = math.radians(15)
"""That an action of 1 turns the head."""
LEAD = math.radians(3)
"""That a target may be ahead of a head which follows late, before the action is added. Without this limit a head with
physics, which is 10 degrees behind at full speed, is sent further and further until it is where it should be, and the
target is far beyond: the safety filter had to change 7 % of an expert's actions, with it 1 %."""
HALF_VIEW = (math.radians(52), math.radians(38))
"""Half of the camera's field of view, sideways and up."""
BEARING_SCALE = math.radians(60)
"""Of 1 in a bearing that is observed."""


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


def seen_places(poses: Array, left: Array, up: Array, far: Array) -> Array:
    """Where things are that the cameras of these heads see there: the inverse of `camera_bearing`."""
    x, y, z, roll, pitch, yaw = (poses[:, column] for column in range(6))
    cr, sr, cp, sp, cy, sy = np.cos(roll), np.sin(roll), np.cos(pitch), np.sin(pitch), np.cos(yaw), np.sin(yaw)
    flat = far * np.cos(up)
    a = flat * np.cos(left) + IN_HEAD_M[0]
    b = flat * np.sin(left) + IN_HEAD_M[1]
    c = far * np.sin(up) + IN_HEAD_M[2]
    return np.stack(
        [
            cy * cp * a + (cy * sp * sr - sy * cr) * b + (cy * sp * cr + sy * sr) * c + x,
            sy * cp * a + (sy * sp * sr + cy * cr) * b + (sy * sp * cr - cy * sr) * c + y,
            -sp * a + cp * sr * b + cp * cr * c + z,
        ],
        axis=1,
    )


def in_view(left: Array, up: Array) -> Mask:
    """Which bearings the camera shows."""
    shown: Mask = (np.abs(left) < HALF_VIEW[0]) & (np.abs(up) < HALF_VIEW[1])
    return shown


def turned(actions: Actions, commanded: Array, poses: Array) -> Array:
    """The target of heads that are told to turn left and up by the first two actions. The body turns along where the
    neck would bend too far, as when the robot is told to look there."""
    wanted = commanded.copy()
    for axis, turn in ((YAW, actions[:, 0]), (PITCH, -actions[:, 1])):
        wanted[:, axis] = np.clip(wanted[:, axis], poses[:, axis] - LEAD, poses[:, axis] + LEAD)
        wanted[:, axis] += turn * STEP
    wanted[:, BODY_YAW] = np.clip(wanted[:, BODY_YAW], wanted[:, YAW] - NECK, wanted[:, YAW] + NECK)
    return wanted


def towards(left: Array, up: Array, gain: float) -> Actions:
    """Actions that turn by a share of these bearings."""
    turn = gain * np.stack([left, up], axis=1) / STEP
    return np.clip(turn, -1.0, 1.0).astype(np.float32)
