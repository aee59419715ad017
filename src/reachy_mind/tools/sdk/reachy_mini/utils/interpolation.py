"""Interpolation of poses, and the time courses of movements."""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import StrEnum
from typing import Any

import numpy as np


class InterpolationTechnique(StrEnum):
    """Accepted by `goto_target`. The host shapes every movement smoothly, whichever is named."""

    LINEAR = "linear"
    MIN_JERK = "minjerk"
    EASE_IN_OUT = "ease_in_out"
    CARTOON = "cartoon"


def linear_pose_interpolation(start_pose: Any, target_pose: Any, t: float) -> Any:
    """Interpolate two transforms: linear in position, by the shortest rotation in orientation."""
    start, target = np.asarray(start_pose, dtype=float), np.asarray(target_pose, dtype=float)
    turn = start[:3, :3].T @ target[:3, :3]
    angle = math.acos(min(max((float(np.trace(turn)) - 1) / 2, -1.0), 1.0))
    between = np.array(start)
    between[:3, 3] += (target[:3, 3] - start[:3, 3]) * t
    if math.pi - angle < 1e-6:  # half a turn has no shortest rotation
        between[:3, :3] = start[:3, :3] if t < 0.5 else target[:3, :3]
    elif angle > 1e-9:
        axis = (turn - turn.T) / (2 * math.sin(angle))
        step = np.eye(3) + math.sin(angle * t) * axis + (1 - math.cos(angle * t)) * (axis @ axis)
        between[:3, :3] = start[:3, :3] @ step
    return between


def time_trajectory(t: float, method: InterpolationTechnique = InterpolationTechnique.MIN_JERK) -> float:
    """The share of the way at the share `t` of the time. Raises ValueError outside 0..1."""
    if not 0.0 <= t <= 1.0:
        raise ValueError(f"the time {t} is not between 0 and 1")
    if method is InterpolationTechnique.LINEAR:
        return t
    if method is InterpolationTechnique.EASE_IN_OUT:
        return 0.5 - 0.5 * math.cos(math.pi * t)
    return t * t * t * (10 - 15 * t + 6 * t * t)


def minimum_jerk(
    starting_position: Any,
    goal_position: Any,
    duration: float,
    starting_velocity: Any = None,
    starting_acceleration: Any = None,
    final_velocity: Any = None,
    final_acceleration: Any = None,
) -> Callable[[float], Any]:
    """A function of time that goes from start to goal with minimum jerk. Raises ValueError for no duration."""
    if not duration > 0:
        raise ValueError(f"a duration of {duration} s: it must be positive")
    start, goal = np.asarray(starting_position, dtype=float), np.asarray(goal_position, dtype=float)
    zero = np.zeros_like(start)
    v0, a0, v1, a1 = (
        zero if value is None else np.asarray(value, dtype=float)
        for value in (starting_velocity, starting_acceleration, final_velocity, final_acceleration)
    )
    # The quintic polynomial with these six boundary values.
    d = duration
    low = [start, v0, a0 / 2]
    rest = goal - (start + v0 * d + a0 * d * d / 2)
    slope, bend = v1 - (v0 + a0 * d), a1 - a0
    low += [
        (10 * rest - 4 * slope * d + bend * d * d / 2) / d**3,
        (-15 * rest + 7 * slope * d - bend * d * d) / d**4,
        (6 * rest - 3 * slope * d + bend * d * d / 2) / d**5,
    ]

    def at(t: float) -> Any:
        s = min(max(t, 0.0), d)
        return sum(factor * s**power for power, factor in enumerate(low))

    return at
