"""Turns the body and back."""

import numpy as np
from reachy_mini import ReachyMini


def body_turn(degrees: float = 25) -> dict:
    """Turn the body by some degrees and come back."""
    with ReachyMini() as mini:
        mini.goto_target(body_yaw=np.deg2rad(degrees), duration=1.0)
        head, _ = mini.get_current_joint_positions()
        turned = float(np.rad2deg(head[0]))
        mini.goto_target(body_yaw=0.0, duration=1.0)
    return {"turned": turned}
