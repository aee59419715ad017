# range: {"allow": "motion", "rest": true, "killed": true, "unguarded": false, "timeout": 3}
"""Takes the body and never gives it back."""

import time


def keeps_the_body(targets: dict) -> dict:
    """Hold a pose."""
    from reachy_mini import ReachyMini
    from reachy_mini.utils import create_head_pose

    with ReachyMini() as mini:
        print("PRIMITIVE holding", flush=True)
        while True:
            try:
                mini.set_target(head=create_head_pose(pitch=10, degrees=True))
            except BaseException:
                pass
            time.sleep(0.005)
