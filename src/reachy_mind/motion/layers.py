"""Layers on top of the primary move: gaze, and antennas that hold still while listening.

Each is smoothed here, and gaze fades by itself when its source goes silent. `speech` and `posture` are the others.
"""

from __future__ import annotations

import math

from reachy_mind.body.pose import Nine
from reachy_mind.motion.limits import PERIOD_S

GAZE_SMOOTHING = 0.06
GAZE_FRESH_S, GAZE_FADE_S = 1.0, 1.0
WEIGHT_PER_S = 2.5

LISTEN_IN_S, LISTEN_OUT_S = 0.2, 0.4


class Gaze:
    """Turns the head towards something seen, as long as it is seen and the primary move allows it."""

    def __init__(self) -> None:
        self._yaw = self._pitch = self._target_yaw = self._target_pitch = 0.0
        self._seen_at = -math.inf
        self._weight = 0.0

    def look(self, yaw: float, pitch: float, seen_at: float) -> None:
        """What was seen lies there, in radians from straight ahead, at a monotonic time. NaN was not seen."""
        if math.isfinite(yaw + pitch + seen_at):
            self._target_yaw, self._target_pitch = min(max(yaw, -math.pi), math.pi), min(max(pitch, -1.0), 1.0)
            self._seen_at = seen_at

    def rest(self) -> None:
        """What was added is part of where the head is now."""
        self._weight = 0.0

    def fresh(self, now: float) -> bool:
        """Whether something is being looked at."""
        return now - self._seen_at < GAZE_FRESH_S

    def offsets(self, now: float, allowed: bool) -> tuple[float, float]:
        """Pitch and yaw to add."""
        silent_s = now - self._seen_at - GAZE_FRESH_S
        wanted = (1.0 if silent_s <= 0 else max(0.0, 1 - silent_s / GAZE_FADE_S)) if allowed else 0.0
        step = WEIGHT_PER_S * PERIOD_S
        self._weight += min(max(wanted - self._weight, -step), step)
        if self._weight <= 0:
            self._yaw, self._pitch = self._target_yaw, self._target_pitch
            return 0.0, 0.0
        self._yaw += (self._target_yaw - self._yaw) * GAZE_SMOOTHING
        self._pitch += (self._target_pitch - self._pitch) * GAZE_SMOOTHING
        return self._pitch * self._weight, self._yaw * self._weight


class Listening:
    """Antennas that hold still while the robot listens, and blend softly in and out of it."""

    def __init__(self) -> None:
        self.on = False
        self._held = (0.0, 0.0)
        self.weight = 0.0

    def rest(self) -> None:
        """Hold what comes next, instead of what was held."""
        self.weight = 0.0

    def applied(self, pose: Nine, last: Nine) -> Nine:
        """The pose, with the antennas as they were in `last` when listening began."""
        if not self.on and self.weight == 0.0:
            return pose
        if self.on and self.weight == 0.0:
            self._held = last[7], last[8]
        step = PERIOD_S / (LISTEN_IN_S if self.on else LISTEN_OUT_S)
        self.weight = min(1.0, self.weight + step) if self.on else max(0.0, self.weight - step)
        left, right = (now + (held - now) * self.weight for now, held in zip(pose[7:], self._held, strict=True))
        return (*pose[:7], left, right)
