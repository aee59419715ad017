"""Computes where to look without moving."""

from reachy_mini import ReachyMini


def peek_without_moving(x: float, y: float, z: float) -> dict:
    """Say which pose would look at a point; do not move."""
    with ReachyMini() as mini:
        pose = mini.look_at_world(x, y, z, perform_movement=False)
    return {"rotation": pose[:3, :3].round(3).tolist()}
