# range: {"allow": "motion", "limits": true, "unguarded": false, "timeout": 20}
"""Gives poses that are not finite, not a rotation, of the wrong shape or type."""

import math


async def not_a_number(targets: dict) -> dict:
    """Look ahead."""
    import numpy as np
    from reachy_mini import ReachyMini

    bad = [
        np.full((4, 4), math.nan), np.full((4, 4), math.inf), np.zeros((4, 4)), np.eye(4) * 1e300, np.eye(3), np.eye(400), np.eye(4, dtype=complex),
        "look", [[1]], {"x": 1}, np.eye(4).astype(object), [[10**400] * 4] * 4, True, np.eye(4) * -1, np.array([[1, 0, 0, 1e9], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]),
    ]
    print("PRIMITIVE", len(bad))
    said = []
    with ReachyMini() as mini:
        for pose in bad:
            for act in (lambda p: mini.set_target(head=p), lambda p: mini.goto_target(p, duration=0.1), lambda p: mini.set_target_head_pose(p)):
                try:
                    said.append(str(act(pose))[:50])
                except Exception as error:
                    said.append(type(error).__name__)
        for yaw in (math.nan, math.inf, -1e308, 10**400, "left", [1], None, 100.0):
            for act in (lambda y: mini.set_target(body_yaw=y), lambda y: mini.set_target_body_yaw(y), lambda y: mini.set_target(antennas=[y, y]), lambda y: mini.goto_target(antennas=[y, y], duration=0.1), lambda y: mini.look_at_world(y, y, y, duration=0.1)):
                try:
                    said.append(str(act(yaw))[:50])
                except Exception as error:
                    said.append(type(error).__name__)
    return {"said": said}
