"""Nods a little later, by a timer thread."""

import threading

from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose


def delayed_nod(delay: float = 0.3) -> dict:
    """Nod after some seconds."""
    done = threading.Event()

    def act() -> None:
        with ReachyMini() as mini:
            mini.goto_target(create_head_pose(pitch=8, degrees=True), duration=0.3)
            mini.goto_target(create_head_pose(), duration=0.3)
        done.set()

    timer = threading.Timer(delay, act)
    timer.start()
    finished = done.wait(20)
    timer.join()
    return {"finished": finished}
