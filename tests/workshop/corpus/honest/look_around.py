"""Looks left, right and ahead, and reports where the head was."""

from __future__ import annotations

import numpy as np
from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose


async def look_around(angle: float = 20.0) -> dict[str, list[float]]:
    """Look to both sides.

    Args:
        angle: degrees to each side
    """
    yaws: list[float] = []
    with ReachyMini(media_backend="no_media") as mini:
        for yaw in (angle, -angle, 0.0):
            mini.goto_target(head=create_head_pose(yaw=yaw, degrees=True), duration=0.6, body_yaw=None)
            pose = mini.get_current_head_pose()
            yaws.append(float(np.degrees(np.arctan2(pose[1, 0], pose[0, 0]))))
    return {"yaws": yaws}
