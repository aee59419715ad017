"""`Posture`: how the robot holds itself while it listens, thinks or speaks.

It is added to idling and holding still, and fades out for every other move. Each time it is taken up a little
differently, from random numbers with a seed.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import Literal, get_args

from reachy_mind.motion.limits import PERIOD_S
from reachy_mind.motion.moves import min_jerk
from reachy_mind.motion.speech import NOTHING, Offsets

Name = Literal["none", "listening", "thinking", "speaking"]
NAMES: tuple[Name, ...] = get_args(Name)

EASE_S = 0.5
FADE_S = 0.4

LISTENING: Offsets = (0.008, 0.0, 0.002, math.radians(7), math.radians(-3), 0.0, math.radians(-8), math.radians(8))
SPEAKING: Offsets = (0.004, 0.0, 0.005, 0.0, math.radians(-2.5), 0.0, math.radians(4), math.radians(-4))
THINKING: Offsets = (-0.003, 0.0, 0.003, math.radians(-5), math.radians(-10), math.radians(13), 0.0, 0.0)
"""Of the head to the left; the other side is drawn as often. Antennas: outwards is positive left, negative right."""
SEARCH_YAW, SEARCH_PITCH, SEARCH_HZ = math.radians(4), math.radians(2.5), (0.13, 0.21)
ANTENNA_TURN, ANTENNA_HZ = math.radians(28), (0.22, 0.32)
SIZES = (0.85, 1.1)


@dataclass(frozen=True, slots=True)
class Taken:
    """A posture as it is taken up this time."""

    name: Name = "none"
    side: int = 1
    size: float = 1.0
    hz: float = 0.0
    antenna_hz: float = 0.0
    phase: float = 0.0

    def at(self, t: float) -> Offsets:
        """`t` seconds after it was taken up."""
        match self.name:
            case "none":
                return NOTHING
            case "thinking":
                return self._searching(t)
            case "listening" | "speaking":
                x, y, z, roll, pitch, yaw, left, right = LISTENING if self.name == "listening" else SPEAKING
        size = self.size
        return x * size, y, z * size, roll * size * self.side, pitch * size, yaw, left * size, right * size

    def _searching(self, t: float) -> Offsets:
        """The eyes wander slowly, and the antennas take turns: one up while the other is down."""
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
        self._taken = Taken()
        self._since = 0.0
        self._from = self._now = NOTHING
        self._weight = 0.0

    @property
    def name(self) -> Name:
        return self._taken.name

    def take(self, name: str) -> None:
        """One of `NAMES`, from whatever it was. Taking the same again changes nothing. Raises ValueError."""
        if name not in NAMES:
            raise ValueError(f"no posture {name!r}")
        if name == self.name:
            return
        dice = self._random
        self._taken = Taken(
            next(known for known in NAMES if known == name),
            dice.choice((-1, 1)),
            dice.uniform(*SIZES),
            dice.uniform(*SEARCH_HZ),
            dice.uniform(*ANTENNA_HZ),
            dice.uniform(0, math.tau),
        )
        self._from, self._since = self._now, 0.0

    def rest(self) -> None:
        """Start again from no offset at all; the posture is then taken up anew."""
        self._from = self._now = NOTHING
        self._since = self._weight = 0.0

    def offsets(self, *, allowed: bool) -> Offsets:
        """What to add at this tick."""
        if self._taken.name == "none" and self._now is NOTHING:
            self._weight = 1.0 if allowed else 0.0
            return NOTHING
        self._since += PERIOD_S
        target, share = self._taken.at(self._since), min_jerk(self._since / EASE_S)
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
