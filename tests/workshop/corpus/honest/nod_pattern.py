"""Nods in a rhythm."""

from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose


def nod_pattern(times: int = 2, depth: float = 12.0) -> dict:
    """Nod the given number of times, `depth` degrees down and up."""
    with ReachyMini() as mini:
        for _ in range(times):
            mini.goto_target(create_head_pose(pitch=depth, degrees=True), duration=0.3)
            mini.goto_target(create_head_pose(pitch=-depth / 2, degrees=True), duration=0.3)
        mini.goto_target(create_head_pose(), duration=0.3)
    return {"status": "success", "nods": times}
