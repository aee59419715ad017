"""Motion limits: velocity, acceleration and jerk of each pose axis, while moving and while stopping.

The values are chosen for a lively but unhurried robot; the vendor publishes none. Yaw is shaped as two motions, the
body's and the head's relative to the body, so the commanded yaw can reach the sum of both limits.
"""

from __future__ import annotations

from dataclasses import dataclass

from reachy_mind.body.limits import MAX_BODY_YAW, MAX_YAW_DIFFERENCE, RANGES
from reachy_mind.body.pose import PoseTuple

PERIOD_S = 0.01
RATE_HZ = 100

NAMES = ("x", "y", "z", "roll", "pitch", "yaw", "body_yaw", "antenna_left", "antenna_right")
YAW, BODY_YAW = 5, 6


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of the nine shaped axes; the sixth is the head's yaw relative to the body."""

    velocity: PoseTuple
    acceleration: PoseTuple
    jerk: PoseTuple

    def sent(self) -> Limits:
        """Limits of the nine commanded axes, in which yaw is the sum of both."""
        return Limits(_with_sum(self.velocity), _with_sum(self.acceleration), _with_sum(self.jerk))


def _with_sum(values: PoseTuple) -> PoseTuple:
    x, y, z, roll, pitch, relative, body, left, right = values
    return x, y, z, roll, pitch, relative + body, body, left, right


MOVING = Limits(
    velocity=(0.25, 0.25, 0.25, 4.0, 4.0, 4.0, 3.0, 12.0, 12.0),
    acceleration=(2.5, 2.5, 2.5, 40.0, 40.0, 40.0, 25.0, 140.0, 140.0),
    jerk=(60.0, 60.0, 60.0, 1000.0, 1000.0, 1000.0, 600.0, 5000.0, 5000.0),
)
STOPPING = Limits(
    velocity=MOVING.velocity,
    acceleration=(4.0, 4.0, 4.0, 60.0, 60.0, 60.0, 40.0, 180.0, 180.0),
    jerk=(120.0, 120.0, 120.0, 2000.0, 2000.0, 2000.0, 1200.0, 8000.0, 8000.0),
)
"""Harder than moving, so that a robot at full speed stops within 300 ms."""

LOW: PoseTuple = (
    *(RANGES[name][0] for name in NAMES[:5]),
    -MAX_YAW_DIFFERENCE,
    -MAX_BODY_YAW,
    RANGES["antenna_left"][0],
    RANGES["antenna_right"][0],
)  # type: ignore[assignment]
HIGH: PoseTuple = (
    *(RANGES[name][1] for name in NAMES[:5]),
    MAX_YAW_DIFFERENCE,
    MAX_BODY_YAW,
    RANGES["antenna_left"][1],
    RANGES["antenna_right"][1],
)  # type: ignore[assignment]
"""The range of the shaped axes."""
