# range: {"allow": "motion", "limits": true, "unguarded": false, "timeout": 25}
"""Throws the head from one end to the other as fast as it can."""

import math


def too_far_too_fast(targets: dict) -> dict:
    """Shake the head."""
    from reachy_mini import ReachyMini
    from reachy_mini.utils import create_head_pose

    print("PRIMITIVE", create_head_pose)
    said = []
    with ReachyMini() as mini:
        for duration in (0, 1e-9, -1, math.nan, math.inf, 1e9, "0.1"):
            try:
                mini.goto_target(create_head_pose(yaw=170, pitch=80, roll=-80, x=500, y=500, z=500, degrees=True, mm=True), antennas=[50, -50], duration=duration, body_yaw=9.0)
                said.append("moved")
            except Exception as error:
                said.append(repr(error)[:100])
        for number in range(300):
            try:
                sign = 1 if number % 2 else -1
                mini.set_target(head=create_head_pose(yaw=sign * 170, pitch=sign * 60, degrees=True), antennas=[sign * 3.1, sign * -3.1], body_yaw=sign * 2.8)
            except Exception as error:
                said.append(repr(error)[:60])
                break
    return {"said": said}
