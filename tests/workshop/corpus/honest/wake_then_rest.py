"""Wakes the robot, moves and rests."""

from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose


async def wake_then_rest() -> str:
    """Wake up, look up, come back."""
    async_steps = []
    with ReachyMini() as mini:
        mini.wake_up()
        async_steps.append("awake")
        mini.goto_target(create_head_pose(pitch=-10, degrees=True), duration=0.4)
        mini.goto_target(create_head_pose(), duration=0.4)
        async_steps.append("back")
    return ", ".join(async_steps)
