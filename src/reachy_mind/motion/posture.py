"""`Posture`: additive motion layer with a posture for listening, thinking and speaking.

It is added while the robot idles or holds still, and fades out during moves. Each time it varies a little, from a
seeded random generator.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import Literal, get_args

from reachy_mind.motion.limits import PERIOD_S
from reachy_mind.motion.moves import min_jerk
from reachy_mind.motion.speech_sway import NO_OFFSETS, Offsets

Name = Literal["none", "listening", "thinking", "speaking"]
NAMES: tuple[Name, ...] = get_args(Name)

EASE_S = 0.5
FADE_S = 0.4

LISTENING: Offsets = (0.008, 0.0, 0.002, math.radians(7), math.radians(-3), 0.0, math.radians(-8), math.radians(8))
SPEAKING: Offsets = (0.004, 0.0, 0.005, 0.0, math.radians(-2.5), 0.0, math.radians(4), math.radians(-4))
THINKING: Offsets = (-0.003, 0.0, 0.003, math.radians(-5), math.radians(-10), math.radians(13), 0.0, 0.0)
"""For the head to the left; the right is as likely. Antennas: outwards is positive left, negative right."""
SEARCH_YAW, SEARCH_PITCH, SEARCH_HZ = math.radians(4), math.radians(2.5), (0.13, 0.21)
ANTENNA_TURN, ANTENNA_HZ = math.radians(28), (0.22, 0.32)
SIZE_RANGE = (0.85, 1.1)


@dataclass(frozen=True, slots=True)
class PostureInstance:
    """A posture with its random variation."""

    name: Name = "none"
    side: int = 1
    size: float = 1.0
    hz: float = 0.0
    antenna_hz: float = 0.0
    phase: float = 0.0

    def at(self, t: float) -> Offsets:
        """The offsets `t` seconds after it was set."""
        match self.name:
            case "none":
                return NO_OFFSETS
            case "thinking":
                return self._searching(t)
            case "listening" | "speaking":
                x, y, z, roll, pitch, yaw, left, right = LISTENING if self.name == "listening" else SPEAKING
        size = self.size
        return x * size, y, z * size, roll * size * self.side, pitch * size, yaw, left * size, right * size

    def _searching(self, t: float) -> Offsets:
        """The gaze wanders slowly, and the antennas alternate."""
        x, y, z, roll, pitch, yaw, _, _ = THINKING
        wander = math.tau * self.hz * t + self.phase
        yaw += SEARCH_YAW * math.sin(wander)
        pitch += SEARCH_PITCH * math.sin(1.6 * wander)
        turn = math.sin(math.tau * self.antenna_hz * t + self.phase)
        size, aside = self.size, self.size * self.side
        left, right = ANTENNA_TURN / 2 * (1 + turn), -ANTENNA_TURN / 2 * (1 - turn)
        return x * size, y, z * size, roll * aside, pitch * size, yaw * aside, left * size, right * size


class Posture:
    """Tick by tick; `take` may be called in between."""

    def __init__(self, seed: int | None = None) -> None:
        self._random = random.Random(seed)  # noqa: S311 -- a posture, not a secret
        self._current = PostureInstance()
        self._since = 0.0
        self._from = self._now = NO_OFFSETS
        self._weight = 0.0

    @property
    def name(self) -> Name:
        return self._current.name

    def set(self, name: str) -> None:
        """Change to one of `NAMES`. Setting the current one again changes nothing. Raises ValueError."""
        if name not in NAMES:
            raise ValueError(f"no posture {name!r}")
        if name == self.name:
            return
        rng = self._random
        self._current = PostureInstance(
            next(known for known in NAMES if known == name),
            rng.choice((-1, 1)),
            rng.uniform(*SIZE_RANGE),
            rng.uniform(*SEARCH_HZ),
            rng.uniform(*ANTENNA_HZ),
            rng.uniform(0, math.tau),
        )
        self._from, self._since = self._now, 0.0

    def reset(self) -> None:
        """Start again from zero; the posture then fades in again."""
        self._from = self._now = NO_OFFSETS
        self._since = self._weight = 0.0

    def offsets(self, *, allowed: bool) -> Offsets:
        """The offsets to add at this tick."""
        if self._current.name == "none" and self._now is NO_OFFSETS:
            self._weight = 1.0 if allowed else 0.0
            return NO_OFFSETS
        self._since += PERIOD_S
        target, share = self._current.at(self._since), min_jerk(self._since / EASE_S)
        if share < 1.0:
            self._now = tuple(a + (b - a) * share for a, b in zip(self._from, target, strict=True))  # type: ignore[assignment]
        else:
            self._now = target
        step = PERIOD_S / FADE_S
        self._weight = min(1.0, self._weight + step) if allowed else max(0.0, self._weight - step)
        if self._weight == 1.0:
            return self._now
        weight = min_jerk(self._weight)
        return tuple(value * weight for value in self._now)  # type: ignore[return-value]
