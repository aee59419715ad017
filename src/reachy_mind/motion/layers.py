"""Layers on top of the primary move: gaze, and antennas that hold still while listening.

Each is smoothed here, and gaze fades by itself when its source goes silent. `speech` and `posture` are the others.
"""

from __future__ import annotations

import math

from reachy_mind.body.pose import Nine
from reachy_mind.motion.limits import PERIOD_S
from reachy_mind.motion.moves import min_jerk

GAZE_SMOOTHING = 0.06
GAZE_HOLD_S, GAZE_FADE_S = 2.0, 1.0
"""What is no longer seen is looked at for this long; then the head returns in that time."""
GAZE_LEAD_S, GAZE_AHEAD_S = 0.26, 0.6
"""What moves is looked for where it will be: the first is how far the head trails behind, the second the most that is
believed of a rate."""
WEIGHT_PER_S = 2.5
NECK = math.radians(35)
"""What lies further aside turns the body too."""

LISTEN_IN_S, LISTEN_OUT_S = 0.2, 0.4


class Gaze:
    """Turns the head towards something seen, as long as it is seen and the primary move allows it."""

    def __init__(self) -> None:
        self._yaw = self._pitch = 0.0
        self._target, self._rate = (0.0, 0.0), (0.0, 0.0)
        self._seen_at = -math.inf
        self.weight = 0.0
        """How much of it is in the pose, 0 to 1."""

    def look(self, yaw: float, pitch: float, seen_at: float, rate: tuple[float, float] = (0.0, 0.0)) -> None:
        """What was seen lay there, in radians from straight ahead, at a monotonic time, and moved at that `rate` (yaw
        and pitch a second). NaN was not seen."""
        if math.isfinite(yaw + pitch + seen_at + sum(rate)):
            self._target, self._rate, self._seen_at = (yaw, pitch), rate, seen_at

    def let_go(self, now: float) -> None:
        """Return from what was looked at, without waiting for it to come back."""
        self._seen_at = min(self._seen_at, now - GAZE_HOLD_S)

    def rest(self) -> None:
        """What was added is part of where the head is now."""
        self.weight = 0.0

    def fresh(self, now: float) -> bool:
        """Whether something is being looked at."""
        return now - self._seen_at < GAZE_HOLD_S

    def offsets(self, now: float, allowed: bool) -> tuple[float, float]:
        """Pitch and yaw to add."""
        silent_s = now - self._seen_at - GAZE_HOLD_S
        wanted = (1 - min_jerk(silent_s / GAZE_FADE_S)) if allowed else 0.0
        step = WEIGHT_PER_S * PERIOD_S
        self.weight += min(max(wanted - self.weight, -step), step)
        ahead = min(max(now - self._seen_at + GAZE_LEAD_S, 0.0), GAZE_AHEAD_S)
        yaw = min(max(self._target[0] + self._rate[0] * ahead, -math.pi), math.pi)
        pitch = min(max(self._target[1] + self._rate[1] * ahead, -1.0), 1.0)
        if self.weight <= 0:
            self._yaw, self._pitch = yaw, pitch
            return 0.0, 0.0
        self._yaw += (yaw - self._yaw) * GAZE_SMOOTHING
        self._pitch += (pitch - self._pitch) * GAZE_SMOOTHING
        return self._pitch * self.weight, self._yaw * self.weight


def turned_along(yaw: float, body_yaw: float) -> float:
    """Where the body turns to for the head to look there at ease."""
    aside = yaw - body_yaw
    return body_yaw + math.copysign(max(0.0, abs(aside) - NECK), aside)


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
