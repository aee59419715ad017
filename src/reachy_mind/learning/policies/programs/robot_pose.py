"""The robot's pose as the environments have it: a row of nine values, in the order of `Pose`."""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np

from reachy_mind.learning.environments.bodies import Array


class SkillRobot(Protocol):
    """What a skill uses of `reachy_mini.ReachyMini`."""

    def wake_up(self) -> None: ...

    def get_current_head_pose(self) -> Any: ...

    def get_current_joint_positions(self) -> tuple[list[float], list[float]]: ...

    def set_target(self, head: Any = None, antennas: Any = None, body_yaw: float | None = None) -> None: ...

    async def async_goto_target(
        self,
        head: Any = None,
        antennas: Any = None,
        duration: float = 0.5,
        method: Any = None,
        body_yaw: float | None = 0.0,
    ) -> None: ...


def measured_pose(robot: SkillRobot) -> Array:
    """Where the robot is now: (1, 9)."""
    head = np.asarray(robot.get_current_head_pose(), np.float64)
    joints, (right, left) = robot.get_current_joint_positions()
    body = float(joints[0])
    # The head's yaw is told within half a turn; the body may be turned further.
    yaw = body + math.remainder(math.atan2(head[1, 0], head[0, 0]) - body, math.tau)
    pitch, roll = -math.asin(min(max(head[2, 0], -1.0), 1.0)), math.atan2(head[2, 1], head[2, 2])
    return np.array([[*head[:3, 3], roll, pitch, yaw, body, left, right]])


def head_transform(pose: Array) -> Array:
    """The 4x4 transform of the head of a pose (1, 9)."""
    x, y, z, roll, pitch, yaw = pose[0, :6]
    cr, sr, cp, sp, cy, sy = np.cos(roll), np.sin(roll), np.cos(pitch), np.sin(pitch), np.cos(yaw), np.sin(yaw)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, x],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr, y],
            [-sp, cp * sr, cp * cr, z],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )


def send_pose(robot: SkillRobot, pose: Array) -> None:
    """Follow this pose (1, 9) from now on."""
    robot.set_target(head=head_transform(pose), antennas=[pose[0, 8], pose[0, 7]], body_yaw=float(pose[0, 6]))
