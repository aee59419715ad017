"""Compares the pose before and after doing nothing."""

import numpy as np
from reachy_mini import ReachyMini


async def head_keeps_still() -> dict:
    """Check that the head keeps still."""
    with ReachyMini() as mini:
        before = np.array(mini.get_current_head_pose())
        await do_nothing(reason="measuring")
        after = np.array(mini.get_current_head_pose())
    return {"difference": float(np.abs(before - after).max()), "shape": before.shape}
