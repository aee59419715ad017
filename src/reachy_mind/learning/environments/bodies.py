"""`BatchBody`: many robots that move together. `KinematicBody`: each goes where the filter lets it, without physics.

Poses are arrays of nine columns, in the order of `Pose`. A body moves for one decision (`DECISION_S`) at a time.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from reachy_mind.body.pose import AWAKE

DECISION_S = 0.1
"""A policy decides ten times a second."""

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


class BatchBody(Protocol):
    """`count` robots. `poses` is where they are now, shape (count, 9)."""

    count: int
    poses: Array

    def reset(self, rows: Mask) -> None:
        """Put these robots into the neutral posture, awake and still."""
        ...

    def move(self, targets: Array) -> None:
        """Move towards `targets` (count, 9), which are safe already, for one decision."""
        ...

    def close(self) -> None: ...


class KinematicBody:
    """The head arrives where it is told to be within the decision, but for a share that stays (`lag`)."""

    def __init__(self, count: int, lag: float = 0.0) -> None:
        self.count, self._lag = count, lag
        self._neutral = np.array(AWAKE.as_tuple)
        self.poses: Array = np.tile(self._neutral, (count, 1))

    def reset(self, rows: Mask) -> None:
        self.poses[rows] = self._neutral

    def move(self, targets: Array) -> None:
        self.poses = targets + (self.poses - targets) * self._lag

    def close(self) -> None:
        pass
