"""`PoseHistory`: recent measured poses by time, to know the head's pose at the moment a frame was taken."""

from __future__ import annotations

import bisect
from collections import deque

from reachy_mind.body.pose import Pose

HISTORY_S = 3.0


class PoseHistory:
    """A ring buffer of poses with their monotonic times."""

    def __init__(self) -> None:
        self._measured: deque[tuple[float, Pose]] = deque()

    def add(self, at: float, pose: Pose) -> None:
        """Append a pose; ignored when it is not newer than the last."""
        if self._measured and at <= self._measured[-1][0]:
            return
        self._measured.append((at, pose))
        while at - self._measured[0][0] > HISTORY_S:
            self._measured.popleft()

    def clear(self) -> None:
        self._measured.clear()

    def at(self, moment: float) -> Pose | None:
        """The pose at that time, interpolated; outside the history, the nearest. None when it is empty."""
        if not self._measured:
            return None
        index = bisect.bisect_left(self._measured, moment, key=lambda measured: measured[0])
        if index == 0 or index == len(self._measured):
            return self._measured[max(index - 1, 0)][1]
        (before, from_pose), (after, to_pose) = self._measured[index - 1], self._measured[index]
        return from_pose.blend(to_pose, (moment - before) / (after - before))
