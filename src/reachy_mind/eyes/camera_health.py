"""`CameraHealth`: detects a dark or frozen camera, and movement in the picture.

A real camera has noise, so two equal pictures mean that it is frozen. A simulated camera has none: its picture may stay
the same while the head does not move.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from reachy_mind.body.pose import Pose
    from reachy_mind.eyes.pictures import Picture

Condition = Literal["fine", "dark", "frozen"]

MIN_BRIGHTNESS, MIN_BRIGHT_SHARE = 40, 0.03
"""A picture is dark when fewer than this share of its pixels is brighter than this, of 255. The camera's own light in a
covered lens stays below."""
DARK_AFTER_S, FROZEN_AFTER_S = 2.0, 5.0
HEAD_MOVED_RAD = math.radians(2)
"""After a turn this large the picture must differ."""
SAMPLE_STEP = 8
"""Every eighth pixel in each direction is enough."""
CHANGE_THRESHOLD, CHANGED_SHARE = 25, 0.02
"""Something moves when more than this share of the pixels differs by more than this. Noise and the robot's idle
breathing stay below, a walking person is above."""

DESCRIPTIONS: dict[Condition, str] = {
    "fine": "",
    "dark": "the camera sees next to nothing: is it covered, or is the room dark?",
    "frozen": "the camera shows the same picture again and again",
}


@dataclass(slots=True)
class CameraHealth:
    """Call `observe` with each picture. `noiseless`: the camera has no noise. `moving`: the last picture changed."""

    noiseless: bool = False
    condition: Condition = "fine"
    moving: bool = True
    _points: NDArray[np.uint8] | None = None
    _same_since: float = 0.0
    _same_pose: Pose | None = None
    _dark_since: float | None = None

    def observe(self, picture: Picture, pose: Pose) -> Condition:
        """The camera's condition after this picture, taken with the head in `pose`."""
        points = picture.pixels[::SAMPLE_STEP, ::SAMPLE_STEP]
        before, self._points = self._points, points
        known = before is not None and before.shape == points.shape
        if before is None or not known or not np.array_equal(before, points):
            self._same_since, self._same_pose = picture.taken_at, pose
        self.moving = before is None or not known or _changed(before, points)
        self.condition = self._judge(points, picture.taken_at, pose)
        return self.condition

    def _judge(self, points: NDArray[np.uint8], now: float, pose: Pose) -> Condition:
        if is_dark(points):
            self._dark_since = now if self._dark_since is None else self._dark_since
            return "dark" if now - self._dark_since >= DARK_AFTER_S else self.condition
        self._dark_since = None
        if now - self._same_since >= FROZEN_AFTER_S and (not self.noiseless or self._head_moved(pose)):
            return "frozen"
        return "fine"

    def _head_moved(self, pose: Pose) -> bool:
        was = self._same_pose
        return was is not None and max(abs(pose.yaw - was.yaw), abs(pose.pitch - was.pitch)) > HEAD_MOVED_RAD


def is_dark(points: NDArray[np.uint8]) -> bool:
    """Whether a picture, or a sample of its pixels, shows next to nothing."""
    return float((points.max(axis=2) > MIN_BRIGHTNESS).mean()) < MIN_BRIGHT_SHARE


def _changed(before: NDArray[np.uint8], after: NDArray[np.uint8]) -> bool:
    different = np.abs(before.astype(np.int16) - after.astype(np.int16)).max(axis=2) > CHANGE_THRESHOLD
    return float(different.mean()) > CHANGED_SHARE
