"""Looks at points in the room."""

from dataclasses import dataclass

from reachy_mini import ReachyMini


@dataclass
class Point:
    x: float
    y: float
    z: float


async def look_at_points(points: list = None) -> dict:
    """Look at points in metres, one after the other."""
    chosen = [Point(*p) for p in (points or [[1.0, 0.2, 0.2], [1.0, -0.2, 0.3]])]
    with ReachyMini() as mini:
        poses = [mini.look_at_world(p.x, p.y, p.z, duration=0.6) for p in chosen]
    return {"looked": len(poses), "shapes": [list(p.shape) for p in poses], "first": chosen[0]}
