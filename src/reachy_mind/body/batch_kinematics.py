"""Inverse kinematics of many poses at once, in closed form, in numpy: for environments that step thousands of robots.

Each of the six motors turns an arm in a plane; a rod of fixed length joins its tip to the head. The angle follows from
the triangle of arm, rod and the line to the rod's joint on the head. Gives the angles of `Kinematics`, which one robot
should use: it is faster for one pose.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from reachy_mind.body.limits import JOINT_RANGES
from reachy_mind.errors import AssetError

Array = NDArray[np.float64]


class BatchKinematics:
    """Raises AssetError when the geometry can't be read."""

    def __init__(self, data_file: Path) -> None:
        try:
            data = json.loads(data_file.read_text(encoding="utf-8"))
            self._height, self._arm, self._rod = data["head_z_offset"], data["motor_arm_length"], data["rod_length"]
            self._branches = np.array([motor["branch_position"] for motor in data["motors"]])
            to_motor = np.array([motor["T_motor_world"] for motor in data["motors"]])
            self._signs = np.array([1.0 if motor["solution"] else -1.0 for motor in data["motors"]])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise AssetError(
                f"robot geometry can't be read from {data_file}: {error}",
                hint="reachy-mind models pull robot-description",
            ) from error
        self._rotations, self._offsets = to_motor[:, :3, :3], to_motor[:, :3, 3]
        self._low, self._high = np.array(JOINT_RANGES[1:]).T

    def legs(self, poses: Array) -> Array:
        """The six joint angles of each pose (rows of nine), NaN where there is no solution."""
        x, y, z, roll, pitch, yaw, body = (poses[:, column] for column in range(7))
        turn = yaw - body
        cr, sr, cp, sp, cy, sy = np.cos(roll), np.sin(roll), np.cos(pitch), np.sin(pitch), np.cos(turn), np.sin(turn)
        rotation = np.stack(
            [
                *(cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
                *(sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
                *(-sp, cp * sr, cp * cr),
            ],
            axis=1,
        ).reshape(-1, 3, 3)
        cb, sb = np.cos(body), np.sin(body)
        shift = np.stack([cb * x + sb * y, cb * y - sb * x, z + self._height], axis=1)
        joints = self._branches @ rotation.transpose(0, 2, 1) + shift[:, None]
        across, along, beside = np.moveaxis(np.einsum("kij,nkj->nki", self._rotations, joints) + self._offsets, 2, 0)
        flat = np.hypot(across, along)
        cosine = (flat**2 + beside**2 + self._arm**2 - self._rod**2) / (2 * self._arm * flat)
        with np.errstate(invalid="ignore"):
            bend = np.arccos(cosine)
        angles = np.arctan2(along, across) + self._signs * bend
        wrapped: Array = np.remainder(angles + np.pi, 2 * np.pi) - np.pi
        return wrapped

    def margins(self, poses: Array) -> Array:
        """The smallest distance of a leg's joint to its limit in each pose, in radians; negative out of reach."""
        legs = self.legs(poses)
        least: Array = np.minimum(legs - self._low, self._high - legs).min(axis=1)
        return np.where(np.isnan(least), -1.0, least)
