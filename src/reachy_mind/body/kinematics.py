"""Inverse kinematics: joint angles from poses, and which poses are reachable.

The geometry is the vendor's (`kinematics_data.json` of the robot description), and so is the solver, a Rust library
that takes 2 microseconds a pose. Forward kinematics is not needed: the robot reports its head pose.
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
    clamp_to_ranges,
    clamped_axes,
    require_finite,
)
from reachy_mind.body.pose import Pose
from reachy_mind.errors import AssetError, OutOfReach

TOLERANCE = 1e-4
(LOW_1, HIGH_1), (LOW_2, HIGH_2), (LOW_3, HIGH_3), (LOW_4, HIGH_4), (LOW_5, HIGH_5), (LOW_6, HIGH_6) = JOINT_RANGES[1:]


class Kinematics:
    """Solver and reach checks. Raises AssetError when the geometry can't be read."""

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

    def _above_foot(self, head: Sequence[float]) -> list[list[float]]:
        rows = [list(head[i : i + 4]) for i in range(0, 16, 4)]
        rows[2][3] += self.head_height
        return rows

    def joints(self, head: Sequence[float], body_yaw: float) -> tuple[float, ...] | None:
        """The seven joint angles for a flat 4x4 head transform; None when there is no solution."""
        legs = self._solver.inverse_kinematics(self._above_foot(head), body_yaw)
        return (body_yaw, *legs) if all(map(isfinite, legs)) else None

    def joint_margin(self, pose: Sequence[float]) -> float:
        """The smallest distance of a joint to its limit in this pose, in radians; negative out of reach.

        A fast version of `reachable`, for the control loop, which calls it several times a tick.
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

    def joints_with_automatic_body_yaw(self, head: Sequence[float], body_yaw: float) -> tuple[float, ...] | None:
        """As `joints`, but the body turns along when the head yaw exceeds what the neck allows."""
        raised = self._above_foot(head)
        joints = self._solver.inverse_kinematics_safe(raised, body_yaw, MAX_YAW_DIFFERENCE, MAX_BODY_YAW)
        return tuple(joints) if all(map(isfinite, joints)) else None

    def reachable(self, pose: Pose) -> bool:
        """Whether the joints reach this pose within their ranges."""
        joints = self.joints(pose.head_matrix(), pose.body_yaw)
        return joints is not None and all(
            low - TOLERANCE <= joint <= high + TOLERANCE
            for joint, (low, high) in zip(joints, JOINT_RANGES, strict=True)
        )

    def within_reach(self, pose: Pose) -> tuple[Pose, tuple[Clamped, ...]]:
        """The nearest reachable pose, and which axes were clamped.

        Each axis is clamped to its range first. If the rods still don't reach, tilt and shift shrink together until
        they do, so the robot keeps its yaw. Raises InvalidParameter for NaN and infinity.
        """
        require_finite(pose)
        bounded = clamp_to_ranges(pose)
        if self.reachable(bounded):
            return bounded, clamped_axes(pose, bounded)
        safe = replace(bounded, x=0.0, y=0.0, z=0.0, roll=0.0, pitch=0.0)
        low, high = 0.0, 1.0
        for _ in range(20):
            middle = (low + high) / 2
            low, high = (middle, high) if self.reachable(safe.blend(bounded, middle)) else (low, middle)
        given = safe.blend(bounded, low)
        return given, clamped_axes(pose, given)

    def require_reach(self, pose: Pose) -> Pose:
        """`pose` itself. Raises OutOfReach, with the nearest reachable values, when it is not reachable."""
        given, clamped = self.within_reach(pose)
        if clamped:
            lost = ", ".join(f"{c.axis} {c.as_dict()['asked']} {c.as_dict()['unit']}" for c in clamped)
            nearest = ", ".join(f"{c.axis} {c.as_dict()['given']}" for c in clamped)
            raise OutOfReach(f"the robot can't reach this pose: {lost}", hint=f"nearest reachable values: {nearest}")
        return given
