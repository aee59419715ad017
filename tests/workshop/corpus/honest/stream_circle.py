"""Streams head targets in a circle."""

import math
import time

from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose

RADIUS = 8.0


def circle(step: int, steps: int) -> tuple[float, float]:
    phase = 2 * math.pi * step / steps
    return RADIUS * math.cos(phase), RADIUS * math.sin(phase)


def stream_circle(steps: int = 40) -> dict:
    """Draw one circle with the nose at 50 Hz."""
    sent = 0
    with ReachyMini() as mini:
        for step in range(steps):
            yaw, pitch = circle(step, steps)
            mini.set_target(head=create_head_pose(yaw=yaw, pitch=pitch, degrees=True), antennas=[0.1, -0.1])
            sent += 1
            time.sleep(0.02)
    return {"sent": sent}
