"""Joint angles from poses, and what can be reached.

The geometry is the vendor's (`kinematics_data.json` of the robot description); the arithmetic is its Rust library, a
wheel of its own: 2 microseconds a pose. The other way round is not needed: the robot reports its head pose itself.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from math import cos, isfinite, sin
from pathlib import Path

import numpy as np
from reachy_mini_rust_kinematics import ReachyMiniRustKinematics

from reachy_mind.body.limits import (
    JOINT_RANGES,
    MAX_BODY_YAW,
    MAX_YAW_DIFFERENCE,
    Clamped,
    difference,
    into_range,
    require_finite,
)
from reachy_mind.body.pose import Pose
from reachy_mind.errors import AssetError, OutOfReach

TOLERANCE = 1e-4
(LOW_1, HIGH_1), (LOW_2, HIGH_2), (LOW_3, HIGH_3), (LOW_4, HIGH_4), (LOW_5, HIGH_5), (LOW_6, HIGH_6) = JOINT_RANGES[1:]


class Kinematics:
    """Inverse kinematics and reach."""

    def __init__(self, data_file: Path) -> None:
        try:
            data = json.loads(data_file.read_text(encoding="utf-8"))
            self.head_height: float = data["head_z_offset"]
            self._solver = ReachyMiniRustKinematics(data["motor_arm_length"], data["rod_length"])
            for motor in data["motors"]:
                to_motor = np.linalg.inv(np.array(motor["T_motor_world"]))
                self._solver.add_branch(motor["branch_position"], to_motor.tolist(), 1 if motor["solution"] else -1)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise AssetError(
                f"robot geometry can't be read from {data_file}: {error}",
                hint="reachy-mind models pull robot-description",
            ) from error

    def _raised(self, head: Sequence[float]) -> list[list[float]]:
        rows = [list(head[i : i + 4]) for i in range(0, 16, 4)]
        rows[2][3] += self.head_height
        return rows

    def joints(self, head: Sequence[float], body_yaw: float) -> tuple[float, ...] | None:
        """The seven joint angles for a flat 4x4 head transform, or None where there are none."""
        legs = self._solver.inverse_kinematics(self._raised(head), body_yaw)
        return (body_yaw, *legs) if all(map(isfinite, legs)) else None

    def room(self, pose: Sequence[float]) -> float:
        """The least joint range, in radians, left in a pose given as its nine numbers; negative out of reach.

        The same as `reachable`, for a loop that asks several times in ten milliseconds.
        """
        x, y, z, roll, pitch, yaw, body_yaw, _, _ = pose
        cr, sr, cp, sp, cy, sy = cos(roll), sin(roll), cos(pitch), sin(pitch), cos(yaw), sin(yaw)
        a, b, c, d, e, f = self._solver.inverse_kinematics(
            [
                [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, x],
                [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr, y],
                [-sp, cp * sr, cp * cr, z + self.head_height],
                [0.0, 0.0, 0.0, 1.0],
            ],
            body_yaw,
        )
        least = min(a - LOW_1, HIGH_1 - a, b - LOW_2, HIGH_2 - b, c - LOW_3, HIGH_3 - c)
        least = min(least, d - LOW_4, HIGH_4 - d, e - LOW_5, HIGH_5 - e, f - LOW_6, HIGH_6 - f)
        return least if isfinite(a + b + c + d + e + f) else -1.0

    def joints_following(self, head: Sequence[float], body_yaw: float) -> tuple[float, ...] | None:
        """As `joints`, but the body turns by itself when the head looks further than the neck allows."""
        joints = self._solver.inverse_kinematics_safe(self._raised(head), body_yaw, MAX_YAW_DIFFERENCE, MAX_BODY_YAW)
        return tuple(joints) if all(map(isfinite, joints)) else None

    def reachable(self, pose: Pose) -> bool:
        """Whether the joints can take this pose, within their ranges."""
        joints = self.joints(pose.head_matrix(), pose.body_yaw)
        return joints is not None and all(
            low - TOLERANCE <= joint <= high + TOLERANCE
            for joint, (low, high) in zip(joints, JOINT_RANGES, strict=True)
        )

    def within_reach(self, pose: Pose) -> tuple[Pose, tuple[Clamped, ...]]:
        """The reachable pose that keeps most of `pose`, and what had to give.

        Each number goes into its range first; if the rods still don't reach, tilt and shift shrink together until they
        do, so that the robot keeps looking the same way round. Raises InvalidParameter for NaN and infinity.
        """
        require_finite(pose)
        bounded = into_range(pose)
        if self.reachable(bounded):
            return bounded, difference(pose, bounded)
        safe = replace(bounded, x=0.0, y=0.0, z=0.0, roll=0.0, pitch=0.0)
        low, high = 0.0, 1.0
        for _ in range(20):
            middle = (low + high) / 2
            low, high = (middle, high) if self.reachable(safe.blend(bounded, middle)) else (low, middle)
        given = safe.blend(bounded, low)
        return given, difference(pose, given)

    def require_reach(self, pose: Pose) -> Pose:
        """`pose` itself, if it can be reached as it is; raises OutOfReach otherwise."""
        given, clamped = self.within_reach(pose)
        if clamped:
            lost = ", ".join(f"{c.axis} {c.as_dict()['asked']} {c.as_dict()['unit']}" for c in clamped)
            nearest = ", ".join(f"{c.axis} {c.as_dict()['given']}" for c in clamped)
            raise OutOfReach(f"the robot can't reach this pose: {lost}", hint=f"nearest it can do: {nearest}")
        return given
