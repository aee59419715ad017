"""`Lens`: the pinhole camera model: projects directions in the room into the picture, and back.

The camera points where the face does; it sits in front of and above the head's centre. Directions are yaw (left is
positive) and pitch (down is positive) in radians relative to the robot's foot, as in `Pose`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reachy_mind.body.pose import Pose

IN_HEAD_M = (0.0395, 0.0, 0.0525)
"""Position of the camera relative to the head's centre, along the head's axes (from the vendor's description)."""

Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Lens:
    """A camera without distortion. Focal lengths and the centre are shares of the picture's width and height."""

    focal_x: float
    focal_y: float
    centre_x: float = 0.5
    centre_y: float = 0.5

    @classmethod
    def of_view(cls, fovy_degrees: float, width: int, height: int) -> Lens:
        """A lens with this vertical field of view and square pixels."""
        focal_y = 0.5 / math.tan(math.radians(fovy_degrees) / 2)
        return cls(focal_y * height / width, focal_y)

    @classmethod
    def of_specs(cls, specs: Mapping[str, Any]) -> Lens:
        """From the daemon's camera specs (intrinsic matrix `K`). Raises ValueError for values no lens can have."""
        try:
            size, k = specs["default_resolution"], specs["K"]
            width, height = float(size["width"]), float(size["height"])
            numbers = k[0][0] / width, k[1][1] / height, k[0][2] / width, k[1][2] / height
        except (LookupError, TypeError, ZeroDivisionError) as error:
            raise ValueError(f"camera specs without resolution or matrix K: {error!r}") from None
        if not all(math.isfinite(number) and 0.1 < number < 10 for number in numbers):
            raise ValueError(f"camera specs out of range: {numbers}")
        return cls(*numbers)

    def ray(self, x: float, y: float) -> Vector:
        """The viewing ray of a point in the picture, in the head's frame: a unit vector (forward, left, up)."""
        forward = np.array([1.0, -(x - self.centre_x) / self.focal_x, -(y - self.centre_y) / self.focal_y])
        unit: Vector = forward / np.linalg.norm(forward)
        return unit

    def direction(self, x: float, y: float, pose: Pose) -> tuple[float, float]:
        """Yaw and pitch of a point in a picture taken in this pose."""
        forward, left, up = _head_rotation(pose) @ self.ray(x, y)
        return math.atan2(left, forward), math.atan2(-up, math.hypot(forward, left))

    def place(self, x: float, y: float, distance: float, pose: Pose) -> Vector:
        """The point at this distance in a picture taken in this pose, in metres from the neutral head's centre."""
        transform = np.array(pose.head_matrix()).reshape(4, 4)
        point: Vector = transform[:3, :3] @ (np.array(IN_HEAD_M) + distance * self.ray(x, y)) + transform[:3, 3]
        return point

    def project(self, yaw: float, pitch: float, pose: Pose) -> tuple[float, float] | None:
        """The point in a picture taken in this pose for a far direction; None when it is behind the camera."""
        ahead = np.array([math.cos(pitch) * math.cos(yaw), math.cos(pitch) * math.sin(yaw), -math.sin(pitch)])
        forward, left, up = _head_rotation(pose).T @ ahead
        if forward <= 1e-6:
            return None
        return self.centre_x - self.focal_x * left / forward, self.centre_y - self.focal_y * up / forward


def _head_rotation(pose: Pose) -> Vector:
    """The head's rotation matrix."""
    return np.array(pose.head_matrix()).reshape(4, 4)[:3, :3]


SIMULATED = Lens.of_view(80.0, 640, 360)
"""The camera of the vendor's description, as our simulator renders it."""
