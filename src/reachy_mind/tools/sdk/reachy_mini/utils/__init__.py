"""Poses for `goto_target` and `set_target`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def create_head_pose(
    x: float = 0,
    y: float = 0,
    z: float = 0,
    roll: float = 0,
    pitch: float = 0,
    yaw: float = 0,
    mm: bool = False,
    degrees: bool = True,
) -> Any:
    """The head's 4x4 transform: metres, or millimetres with `mm`; angles in degrees, or radians without `degrees`."""
    lengths = [float(value) / (1000.0 if mm else 1.0) for value in (x, y, z)]
    r, p, w = (math.radians(value) if degrees else float(value) for value in (roll, pitch, yaw))
    cr, sr, cp, sp, cy, sy = math.cos(r), math.sin(r), math.cos(p), math.sin(p), math.cos(w), math.sin(w)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, lengths[0]],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr, lengths[1]],
            [-sp, cp * sr, cp * cr, lengths[2]],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )


__all__ = ["create_head_pose"]
