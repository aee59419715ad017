"""Moves along interpolated poses."""

import numpy as np
from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose
from reachy_mini.utils.interpolation import linear_pose_interpolation


def interpolated_path(steps: int = 10) -> dict:
    """Go from ahead to the left in small steps."""
    start, end = create_head_pose(), create_head_pose(yaw=15, degrees=True)
    with ReachyMini() as mini:
        for t in np.linspace(0, 1, steps):
            mini.set_target_head_pose(linear_pose_interpolation(start, end, t))
    return {"steps": steps, "end": end[:2, :2].round(4)}
