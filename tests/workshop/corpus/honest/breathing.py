"""Breathes slowly."""

import asyncio
import math

from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose


async def breathing(breaths: int = 3, period: float = 4.0) -> dict:
    """Raise and lower the head slowly, as if breathing."""
    with ReachyMini() as mini:
        for breath in range(breaths):
            for step in range(8):
                height = 5 * math.sin(2 * math.pi * step / 8)
                mini.set_target(head=create_head_pose(z=height, mm=True))
                await asyncio.sleep(period / 8)
    return {"breaths": breaths, "seconds": breaths * period}
