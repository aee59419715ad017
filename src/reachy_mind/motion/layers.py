"""Layers that are added to the primary move: speech, gaze, and antennas that hold still while listening.

Each is smoothed here and fades by itself when its source goes silent, so a producer that dies leaves nothing behind.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from reachy_mind.body.pose import Nine
from reachy_mind.motion.limits import PERIOD_S, RATE_HZ

SPEECH_RISE, SPEECH_FALL = 0.25, 0.10
"""Share of the way to the envelope per tick, up and down."""
SPEECH_SWAY = ((1.3, 0.0, 0.039), (2.2, 1.1, 0.079), (0.6, 2.3, 0.131))
"""Frequency, phase and size in radians of roll, pitch and yaw at full loudness."""

GAZE_SMOOTHING = 0.06
GAZE_FRESH_S, GAZE_FADE_S = 1.0, 1.0
WEIGHT_PER_S = 2.5

LISTEN_IN_S, LISTEN_OUT_S = 0.2, 0.4


class Speech:
    """The head sways with the loudness of what is being said, by playback time."""

    def __init__(self) -> None:
        self._envelope: Sequence[float] = ()
        self._t0 = 0.0
        self._level = 0.0

    def play(self, envelope: Sequence[float], t0: float) -> None:
        """Loudness 0..1 at 100 a second, the first one heard at `t0` (monotonic seconds). Replaces what was playing."""
        if math.isfinite(t0):
            self._envelope, self._t0 = envelope, t0

    def stop(self) -> None:
        self._envelope = ()

    def offsets(self, now: float) -> tuple[float, float, float]:
        """Roll, pitch and yaw to add."""
        index = int((now - self._t0) * RATE_HZ)
        wanted = self._envelope[index] if 0 <= index < len(self._envelope) else 0.0
        wanted = min(max(wanted, 0.0), 1.0) if math.isfinite(wanted) else 0.0
        self._level += (wanted - self._level) * (SPEECH_RISE if wanted > self._level else SPEECH_FALL)
        if self._level < 1e-4:
            return 0.0, 0.0, 0.0
        t = now - self._t0
        roll, pitch, yaw = (
            self._level * size * math.sin(2 * math.pi * hz * t + phase) for hz, phase, size in SPEECH_SWAY
        )
        return roll, pitch, yaw


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
        self._weight = 0.0

    def applied(self, pose: Nine, last: Nine) -> Nine:
        if not self.on and self._weight == 0.0:
            return pose
        if self.on and self._weight == 0.0:
            self._held = last[7], last[8]
        step = PERIOD_S / (LISTEN_IN_S if self.on else LISTEN_OUT_S)
        self._weight = min(1.0, self._weight + step) if self.on else max(0.0, self._weight - step)
        left, right = (now + (held - now) * self._weight for now, held in zip(pose[7:], self._held, strict=True))
        return (*pose[:7], left, right)
