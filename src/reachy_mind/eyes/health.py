"""`Health`: whether the pictures of a camera are any: a lens that is covered, a camera that shows one moment for ever.

A real camera has noise, so that no two pictures are the same. A simulated one has none: there a picture may stand still
as long as the head does.
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

LIT, LIT_SHARE = 40, 0.03
"""A point brighter than this, of 255, shows something; with fewer of them than this share a picture is dark. A lamp of
the camera's own in a covered lens is less."""
DARK_S, FROZEN_S = 2.0, 5.0
MOVED = math.radians(2)
"""A head that has turned this far sees something else."""
EVERY = 8
"""Of the points of a picture, every eighth each way is enough to tell."""
STIRRED, STIRRED_SHARE = 25, 0.02
"""More than this share of the points differs by more than this: something moves. Noise and a head that breathes are
less, somebody who walks is more."""

WORDS: dict[Condition, str] = {
    "fine": "",
    "dark": "the camera sees next to nothing: is it covered, or is the room dark?",
    "frozen": "the camera shows the same picture again and again",
}


@dataclass(slots=True)
class Health:
    """Give it each picture. `noiseless`: of a camera without noise. `moving`: whether the last one showed a change."""

    noiseless: bool = False
    condition: Condition = "fine"
    moving: bool = True
    _points: NDArray[np.uint8] | None = None
    _same_since: float = 0.0
    _same_pose: Pose | None = None
    _dark_since: float | None = None

    def observe(self, picture: Picture, pose: Pose) -> Condition:
        """What is to be thought of the camera, given where the head was."""
        points = picture.pixels[::EVERY, ::EVERY]
        before, self._points = self._points, points
        known = before is not None and before.shape == points.shape
        if before is None or not known or not np.array_equal(before, points):
            self._same_since, self._same_pose = picture.taken_at, pose
        self.moving = before is None or not known or _stirred(before, points)
        self.condition = self._judged(points, picture.taken_at, pose)
        return self.condition

    def _judged(self, points: NDArray[np.uint8], now: float, pose: Pose) -> Condition:
        if dark(points):
            self._dark_since = now if self._dark_since is None else self._dark_since
            return "dark" if now - self._dark_since >= DARK_S else self.condition
        self._dark_since = None
        if now - self._same_since >= FROZEN_S and (not self.noiseless or self._head_moved(pose)):
            return "frozen"
        return "fine"

    def _head_moved(self, pose: Pose) -> bool:
        was = self._same_pose
        return was is not None and max(abs(pose.yaw - was.yaw), abs(pose.pitch - was.pitch)) > MOVED


def dark(points: NDArray[np.uint8]) -> bool:
    """Whether next to nothing shows in a picture, or in some of its points."""
    return float((points.max(axis=2) > LIT).mean()) < LIT_SHARE


def _stirred(before: NDArray[np.uint8], after: NDArray[np.uint8]) -> bool:
    different = np.abs(before.astype(np.int16) - after.astype(np.int16)).max(axis=2) > STIRRED
    return float(different.mean()) > STIRRED_SHARE
