"""`Trail`: where the head has been lately, so that what was seen can be told from where it was seen."""

from __future__ import annotations

import bisect
from collections import deque

from reachy_mind.body.pose import Pose

KEPT_S = 3.0


class Trail:
    """Poses and the monotonic times they were measured at, in order."""

    def __init__(self) -> None:
        self._measured: deque[tuple[float, Pose]] = deque()

    def add(self, at: float, pose: Pose) -> None:
        """The newest; one that is not newer than the last is left out."""
        if self._measured and at <= self._measured[-1][0]:
            return
        self._measured.append((at, pose))
        while at - self._measured[0][0] > KEPT_S:
            self._measured.popleft()

    def clear(self) -> None:
        self._measured.clear()

    def at(self, moment: float) -> Pose | None:
        """The pose at that time, between the two that were measured around it; before or after all, the nearest."""
        if not self._measured:
            return None
        index = bisect.bisect_left(self._measured, moment, key=lambda measured: measured[0])
        if index == 0 or index == len(self._measured):
            return self._measured[max(index - 1, 0)][1]
        (before, from_pose), (after, to_pose) = self._measured[index - 1], self._measured[index]
        return from_pose.blend(to_pose, (moment - before) / (after - before))
