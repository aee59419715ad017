"""The robot for tools: `ReachyMini`, with the names and signatures of the vendor's SDK.

    with ReachyMini() as mini:
        mini.goto_target(head=create_head_pose(yaw=20), duration=1.0)
        frame = mini.media.get_frame()

Every call is passed to the host, which checks it against the tool's capabilities, the permissions and the limits of
motion. Poses are 4x4 numpy arrays; antennas are right, left; angles are radians unless a function says degrees.
"""

from __future__ import annotations

from .motion.move import Move
from .reachy_mini import ReachyMini
from .utils import create_head_pose

__all__ = ["Move", "ReachyMini", "create_head_pose"]
