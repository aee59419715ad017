"""`Pose`: head transform, body yaw and antenna angles, in metres and radians.

Axes are the robot's: x forward, y left, z up, all zero in the neutral posture. Rotations follow the right-hand rule,
so yaw is positive to the left, pitch is positive when the face looks down and roll is positive when the head leans to
its right. The head's rotation is yaw about z, then pitch about y, then roll about x, all relative to the robot's foot:
turning the body alone (`body_yaw`) leaves `yaw` as it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

LENGTHS = ("x", "y", "z")
ANGLES = ("roll", "pitch", "yaw", "body_yaw", "antenna_left", "antenna_right")

PoseTuple = tuple[float, float, float, float, float, float, float, float, float]
"""The values of a pose in the order of its fields, for code that counts microseconds."""


@dataclass(frozen=True, slots=True)
class Pose:
    """The robot's whole posture in nine numbers."""

    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    roll: float = 0.0
    pitch: float = 0.0
    yaw: float = 0.0
    body_yaw: float = 0.0
    antenna_left: float = 0.0
    antenna_right: float = 0.0

    @property
    def as_tuple(self) -> PoseTuple:
        # Not `dataclasses.astuple`, which copies deeply and takes thirty times as long.
        return (
            *(self.x, self.y, self.z, self.roll, self.pitch, self.yaw),
            *(self.body_yaw, self.antenna_left, self.antenna_right),
        )

    @property
    def antennas(self) -> tuple[float, float]:
        """Right, left: the order the robot's protocol uses."""
        return self.antenna_right, self.antenna_left

    def head_matrix(self) -> tuple[float, ...]:
        """The head's 4x4 transform, flat, row by row, as in the protocol."""
        cr, sr = math.cos(self.roll), math.sin(self.roll)
        cp, sp = math.cos(self.pitch), math.sin(self.pitch)
        cy, sy = math.cos(self.yaw), math.sin(self.yaw)
        return (
            *(cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, self.x),
            *(sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr, self.y),
            *(-sp, cp * sr, cp * cr, self.z),
            *(0.0, 0.0, 0.0, 1.0),
        )

    @classmethod
    def from_head_matrix(
        cls, matrix: Sequence[float], *, body_yaw: float = 0.0, antennas: Iterable[float] = (0.0, 0.0)
    ) -> Pose:
        """The pose of a flat, row-by-row 4x4 head transform; `antennas` are right, left."""
        right, left = antennas
        return cls(
            *(matrix[3], matrix[7], matrix[11]),
            roll=math.atan2(matrix[9], matrix[10]),
            pitch=math.atan2(-matrix[8], math.hypot(matrix[0], matrix[4])),
            yaw=math.atan2(matrix[4], matrix[0]),
            body_yaw=body_yaw,
            antenna_left=left,
            antenna_right=right,
        )

    def in_degrees(self) -> dict[str, float]:
        """Lengths in millimetres (`x_mm`), angles in degrees (`yaw`), rounded for display."""
        values = {f"{name}_mm": round(getattr(self, name) * 1000, 2) for name in LENGTHS}
        return values | {name: round(math.degrees(wrap_angle(getattr(self, name))), 2) for name in ANGLES}

    def blend(self, other: Pose, share: float) -> Pose:
        """Linear interpolation: the pose `share` (0..1) of the way to `other`."""
        return Pose(*(a + (b - a) * share for a, b in zip(self.as_tuple, other.as_tuple, strict=True)))

    def distance(self, other: Pose) -> float:
        """The largest difference of any axis, in radians; a centimetre counts as ten degrees."""
        lengths: float = max(abs(getattr(self, name) - getattr(other, name)) for name in LENGTHS)
        angles: float = max(abs(wrap_angle(getattr(self, name) - getattr(other, name))) for name in ANGLES)
        return max(angles, lengths * math.radians(10) / 0.01)


def wrap_angle(angle: float) -> float:
    """The angle wrapped into -pi..pi."""
    return math.remainder(angle, math.tau)


ANTENNA_REST = 0.1745
AWAKE = Pose(antenna_left=ANTENNA_REST, antenna_right=-ANTENNA_REST)
ASLEEP = Pose(
    x=-0.021, y=0.001, z=-0.044, roll=-0.0011, pitch=0.4257, yaw=-0.0044, antenna_left=3.05, antenna_right=-3.05
)
