"""What the robot does when nobody asks anything of it: it breathes, and looks around now and then.

It starts from wherever the robot is and keeps its gaze: only the lean and the shift ease out. All of it is computed
here, from a seeded random generator: no model is asked.
"""

from __future__ import annotations

import math
import random

from reachy_mind.body.pose import ANTENNA_REST, Nine
from reachy_mind.motion.moves import min_jerk

EASE_S = 1.5
BREATH_Z_M, BREATH_HZ = 0.005, 0.2
SWAY, SWAY_HZ = math.radians(15), 0.5

LOOK_EVERY_S = (3.0, 8.0)
LOOK_S = 1.5
COOLDOWN_S = 2.0
YAW, PITCH, ROLL = math.radians(35), (math.radians(-15), math.radians(20)), math.radians(8)
CURIOUS, CURIOSITY = 0.15, 0.6
"""How often a look is a curious one, and how much of the roll range and raised antennas it then shows."""
DOUBLE_LOOK, RETURN = 0.10, 0.25
ANTENNAS = (math.radians(10), math.radians(45))


class Idle:
    """A move without an end."""

    duration = math.inf
    gazing = True

    def __init__(self, start: Nine, *, seed: int | None = None) -> None:
        self._random = random.Random(seed)  # noqa: S311 -- a look, not a secret
        self._start = start
        self._from = self._to = (start[3], start[4], start[5], ANTENNA_REST)
        self._look_at = self._arrive_at = 0.0
        self._next_at = COOLDOWN_S + self._random.uniform(*LOOK_EVERY_S)
        self._home = start[5]

    def at(self, t: float) -> Nine:
        if t >= self._next_at:
            self._choose(t)
        x, y, z = self._start[:3]
        eased = 1 - min_jerk(t / EASE_S)
        roll, pitch, yaw, antenna = self._gaze(t)
        swell = min_jerk(t / EASE_S)
        sway = swell * SWAY * math.sin(2 * math.pi * SWAY_HZ * t)
        left = self._start[7] * eased + (antenna + sway) * (1 - eased)
        right = self._start[8] * eased + (-antenna + sway) * (1 - eased)
        breath = swell * BREATH_Z_M * math.sin(2 * math.pi * BREATH_HZ * t)
        return x * eased, y * eased, z * eased + breath, roll, pitch, yaw, self._start[6], left, right

    def attend(self, t: float) -> None:
        """Somebody is there: gaze says where to look. No looking around; face where it began, for when they leave."""
        ahead = (0.0, 0.0, self._home, ANTENNA_REST)
        if self._to != ahead or not self._arrive_at:
            self._from, self._to = self._gaze(t), ahead
            self._look_at, self._arrive_at = t, t + LOOK_S / 2
        self._next_at = t + COOLDOWN_S + self._random.uniform(*LOOK_EVERY_S)

    def _gaze(self, t: float) -> tuple[float, float, float, float]:
        if not self._arrive_at:
            ease = min_jerk(t / EASE_S)
            roll, pitch, yaw, antenna = self._from
            return roll * (1 - ease), pitch, yaw, antenna
        share = min_jerk((t - self._look_at) / (self._arrive_at - self._look_at))
        a, b = self._from, self._to
        return tuple(p + (q - p) * share for p, q in zip(a, b, strict=True))  # type: ignore[return-value]

    def _choose(self, t: float) -> None:
        dice = self._random
        self._from = self._gaze(t)
        draw = dice.random()
        curious = dice.random() < CURIOUS
        if draw < RETURN:
            self._to = (0.0, 0.0, self._home, ANTENNA_REST)
        elif draw < RETURN + DOUBLE_LOOK and self._arrive_at:
            # A second look at almost the same thing.
            turn, tilt = dice.uniform(-0.15, 0.15), dice.uniform(-0.1, 0.1)
            self._to = (self._from[0], self._from[1] + tilt, self._from[2] + turn, ANTENNAS[1])
        else:
            roll = dice.uniform(-ROLL, ROLL) * (1 + CURIOSITY if curious else 1)
            antenna = ANTENNAS[1] if curious else dice.uniform(*ANTENNAS)
            self._to = (roll, dice.uniform(*PITCH), self._home + dice.uniform(-YAW, YAW), antenna)
        self._look_at, self._arrive_at = t, t + LOOK_S
        self._next_at = self._arrive_at + COOLDOWN_S + dice.uniform(*LOOK_EVERY_S)
