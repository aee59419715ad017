"""`IdleMotion`: breathing and occasional looks around, while there is nothing else to do.

It starts from the current pose and keeps its direction: only lean and shift ease out. All of it comes from a seeded
random generator.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

from reachy_mind.body.pose import ANTENNA_REST, PoseTuple
from reachy_mind.motion.moves import min_jerk

EASE_S = 1.5
BREATH_Z_M, BREATH_HZ = 0.005, 0.2
SWAY, SWAY_HZ = math.radians(15), 0.5

LOOK_EVERY = (0.55, 1.45)
"""Shortest and longest time between looks, as shares of the interval."""
LOOK_S = 1.5
COOLDOWN_S = 2.0
LOOK_YAW, LOOK_PITCH, LOOK_ROLL = math.radians(35), (math.radians(-15), math.radians(20)), math.radians(8)
"""Of the default range; another one scales all three."""
CURIOUS_PROBABILITY, CURIOUS_ROLL_EXTRA = 0.15, 0.6
"""Probability of a curious look, and how much further it tilts the head."""
SECOND_LOOK_PROBABILITY, RETURN_PROBABILITY = 0.10, 0.25
ANTENNA_RANGE = (math.radians(10), math.radians(45))


@dataclass(frozen=True)
class IdleLooks:
    """How often it looks around, in seconds on average, and how far to each side, in radians."""

    interval_s: float = 5.5
    range_rad: float = LOOK_YAW


class IdleMotion:
    """A move without an end."""

    duration = math.inf
    gazing = True

    def __init__(self, start: PoseTuple, looks: IdleLooks = IdleLooks(), *, seed: int | None = None) -> None:  # noqa: B008
        self._every_s = tuple(share * looks.interval_s for share in LOOK_EVERY)
        self._scale = looks.range_rad / LOOK_YAW
        self._random = random.Random(seed)  # noqa: S311 -- a look, not a secret
        self._start = start
        self._from = self._to = (start[3], start[4], start[5], ANTENNA_REST)
        self._look_at = self._arrive_at = 0.0
        self._next_at = COOLDOWN_S + self._random.uniform(*self._every_s)
        self._home = start[5]

    def at(self, t: float) -> PoseTuple:
        if t >= self._next_at:
            self._choose_look(t)
        x, y, z = self._start[:3]
        eased = 1 - min_jerk(t / EASE_S)
        roll, pitch, yaw, antenna = self._look_pose(t)
        swell = min_jerk(t / EASE_S)
        sway = swell * SWAY * math.sin(2 * math.pi * SWAY_HZ * t)
        left = self._start[7] * eased + (antenna + sway) * (1 - eased)
        right = self._start[8] * eased + (-antenna + sway) * (1 - eased)
        breath = swell * BREATH_Z_M * math.sin(2 * math.pi * BREATH_HZ * t)
        return x * eased, y * eased, z * eased + breath, roll, pitch, yaw, self._start[6], left, right

    def attend(self, t: float) -> None:
        """A face is tracked, and gaze aims the head: stop looking around and return to the start direction beneath."""
        ahead = (0.0, 0.0, self._home, ANTENNA_REST)
        if self._to != ahead or not self._arrive_at:
            self._from, self._to = self._look_pose(t), ahead
            self._look_at, self._arrive_at = t, t + LOOK_S / 2
        self._next_at = t + COOLDOWN_S + self._random.uniform(*self._every_s)

    def _look_pose(self, t: float) -> tuple[float, float, float, float]:
        if not self._arrive_at:
            ease = min_jerk(t / EASE_S)
            roll, pitch, yaw, antenna = self._from
            return roll * (1 - ease), pitch, yaw, antenna
        share = min_jerk((t - self._look_at) / (self._arrive_at - self._look_at))
        a, b = self._from, self._to
        return tuple(p + (q - p) * share for p, q in zip(a, b, strict=True))  # type: ignore[return-value]

    def _choose_look(self, t: float) -> None:
        rng = self._random
        self._from = self._look_pose(t)
        draw = rng.random()
        curious = rng.random() < CURIOUS_PROBABILITY
        if draw < RETURN_PROBABILITY:
            self._to = (0.0, 0.0, self._home, ANTENNA_REST)
        elif draw < RETURN_PROBABILITY + SECOND_LOOK_PROBABILITY and self._arrive_at:
            # A second look in almost the same direction.
            turn, tilt = (self._scale * rng.uniform(-most, most) for most in (0.15, 0.1))
            self._to = (self._from[0], self._from[1] + tilt, self._from[2] + turn, ANTENNA_RANGE[1])
        else:
            roll = rng.uniform(-LOOK_ROLL, LOOK_ROLL) * (1 + CURIOUS_ROLL_EXTRA if curious else 1)
            antenna = ANTENNA_RANGE[1] if curious else rng.uniform(*ANTENNA_RANGE)
            pitch, yaw = rng.uniform(*LOOK_PITCH), rng.uniform(-LOOK_YAW, LOOK_YAW)
            self._to = (self._scale * roll, self._scale * pitch, self._home + self._scale * yaw, antenna)
        self._look_at, self._arrive_at = t, t + LOOK_S
        self._next_at = self._arrive_at + COOLDOWN_S + rng.uniform(*self._every_s)
