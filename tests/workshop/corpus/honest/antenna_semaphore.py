"""Signals letters with the antennas."""

from enum import Enum

from reachy_mini import ReachyMini


class Flag(Enum):
    YES = (0.6, -0.6)
    NO = (-0.4, 0.4)
    REST = (0.0, 0.0)


async def antenna_semaphore(word: str = "yes") -> dict:
    """Show yes or no with the antennas, then rest."""
    flag = Flag[word.upper()]
    with ReachyMini() as mini:
        mini.goto_target(antennas=list(flag.value), duration=0.5, body_yaw=None)
        shown = mini.get_present_antenna_joint_positions()
        mini.goto_target(antennas=list(Flag.REST.value), duration=0.5, body_yaw=None)
    return {"flag": flag.name, "shown": [round(float(a), 2) for a in shown]}
