"""Motion layers on top of the primary move: gaze, and antennas that hold still while listening.

Each is smoothed here, and gaze fades out after a timeout without updates. `speech_sway` and `posture` are the others.
"""

from __future__ import annotations

import math

from reachy_mind.body.pose import PoseTuple
from reachy_mind.motion.limits import PERIOD_S
from reachy_mind.motion.moves import min_jerk

GAZE_SMOOTHING = 0.06
GAZE_HOLD_S, GAZE_FADE_S = 2.0, 1.0
"""Without updates the gaze holds for the first, then fades over the second."""
GAZE_LEAD_S, GAZE_MAX_LEAD_S = 0.26, 0.6
"""A moving target is extrapolated: the first is the head's lag, the second the longest extrapolation."""
WEIGHT_PER_S = 2.5
MAX_NECK_YAW = math.radians(35)
"""A larger yaw turns the body as well."""

LISTEN_IN_S, LISTEN_OUT_S = 0.2, 0.4


class GazeLayer:
    """Turns the head to a target while it is updated and the primary move allows it."""

    def __init__(self) -> None:
        self._yaw = self._pitch = 0.0
        self._target, self._rate = (0.0, 0.0), (0.0, 0.0)
        self._seen_at = -math.inf
        self.weight = 0.0
        """Its current weight in the pose, 0 to 1."""

    def look(self, yaw: float, pitch: float, seen_at: float, rate: tuple[float, float] = (0.0, 0.0)) -> None:
        """Set the target: radians from straight ahead, seen at a monotonic time, moving at `rate` (yaw and pitch per
        second). Values that are not finite are ignored."""
        if math.isfinite(yaw + pitch + seen_at + sum(rate)):
            self._target, self._rate, self._seen_at = (yaw, pitch), rate, seen_at

    def release(self, now: float) -> None:
        """Start to fade out now, without the hold time."""
        self._seen_at = min(self._seen_at, now - GAZE_HOLD_S)

    def reset(self) -> None:
        """Start again from zero: the last offset is part of the new start pose."""
        self.weight = 0.0

    def fresh(self, now: float) -> bool:
        """Whether the target was updated within the hold time."""
        return now - self._seen_at < GAZE_HOLD_S

    def offsets(self, now: float, allowed: bool) -> tuple[float, float]:
        """Pitch and yaw to add."""
        silent_s = now - self._seen_at - GAZE_HOLD_S
        wanted = (1 - min_jerk(silent_s / GAZE_FADE_S)) if allowed else 0.0
        step = WEIGHT_PER_S * PERIOD_S
        self.weight += min(max(wanted - self.weight, -step), step)
        ahead = min(max(now - self._seen_at + GAZE_LEAD_S, 0.0), GAZE_MAX_LEAD_S)
        yaw = min(max(self._target[0] + self._rate[0] * ahead, -math.pi), math.pi)
        pitch = min(max(self._target[1] + self._rate[1] * ahead, -1.0), 1.0)
        if self.weight <= 0:
            self._yaw, self._pitch = yaw, pitch
            return 0.0, 0.0
        self._yaw += (yaw - self._yaw) * GAZE_SMOOTHING
        self._pitch += (pitch - self._pitch) * GAZE_SMOOTHING
        return self._pitch * self.weight, self._yaw * self.weight


def body_yaw_for(yaw: float, body_yaw: float) -> float:
    """The body yaw at which the head reaches `yaw` without turning the neck too far."""
    aside = yaw - body_yaw
    return body_yaw + math.copysign(max(0.0, abs(aside) - MAX_NECK_YAW), aside)


class ListeningLayer:
    """Holds the antennas still while the robot listens, with a soft blend in and out."""

    def __init__(self) -> None:
        self.on = False
        self._frozen = (0.0, 0.0)
        self.weight = 0.0

    def reset(self) -> None:
        """Drop the frozen antenna angles."""
        self.weight = 0.0

    def applied(self, pose: PoseTuple, last: PoseTuple) -> PoseTuple:
        """The pose, with the antennas as they were in `last` when listening began."""
        if not self.on and self.weight == 0.0:
            return pose
        if self.on and self.weight == 0.0:
            self._frozen = last[7], last[8]
        step = PERIOD_S / (LISTEN_IN_S if self.on else LISTEN_OUT_S)
        self.weight = min(1.0, self.weight + step) if self.on else max(0.0, self.weight - step)
        left, right = (now + (held - now) * self.weight for now, held in zip(pose[7:], self._frozen, strict=True))
        return (*pose[:7], left, right)
