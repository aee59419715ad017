"""`SpeechSway`: additive motion layer that moves the head with speech, from its loudness envelope by playback time.

It has four parts. A nod on each stressed syllable: the envelope is read ahead, so that the bottom of the nod falls on
the stress. A slow sway during speech, in a new direction with each phrase. A slight lift and lean forward during a
phrase. A flick of the antennas on strong stresses. In pauses all of it settles. The offsets are bounded by
construction, and a seeded random generator varies the phrases.
"""

from __future__ import annotations

import math
import random
from array import array
from collections.abc import Sequence

from reachy_mind.motion.limits import PERIOD_S, RATE_HZ

Offsets = tuple[float, float, float, float, float, float, float, float]
"""A layer's offsets: x forward and y left in the head's direction, z, roll, pitch, yaw, left and right antenna."""
NO_OFFSETS: Offsets = (0.0,) * 8

MAX_SPEECH_S = 1800
AHEAD_S = 0.1
"""Look-ahead for rises. A nod takes a little longer to its bottom, and a syllable to its peak; the command comes up to
0.1 s before the peak, because the robot lags its commands."""
BASELINE_RISE, BASELINE_FALL = 0.06, 0.3
"""Share per tick by which the baseline, from which a rise is measured, follows the loudness up and down."""
MIN_RISE, FULL_RISE, MIN_STRESS = 0.16, 0.7, 0.25
"""The smallest rise that counts, the rise of the deepest nod, and the weakest stress that gives a nod."""
PEAK_VALUES = 9
"""Values after the start of a rise in which its peak is searched."""
NOD_INTERVAL_S, FATIGUE, FATIGUE_DECAY_PER_S = 0.25, 0.9, 1.1
"""Minimum interval of nods; a nod soon after another needs a stronger stress to be as deep."""

NOD, NOD_MAX = math.radians(5.0), math.radians(6.0)
NOD_HZ, NOD_DAMPING = 2.0, 0.5
FLICK, FLICK_MAX = math.radians(9), math.radians(14)
FLICK_HZ, FLICK_DAMPING, FLICK_FROM = 2.8, 0.35, 0.55
PUSH_S = 0.05
"""Duration of the force that starts a nod or a flick, so that it does not jerk."""

VOICED_LEVEL, WORD_GAP_S, PHRASE_GAP_S = 0.12, 0.1, 0.25
"""The level that counts as speech, the longest gap within a word, and the pause that ends a phrase."""
FOLLOW_PER_S, RELEASE_PER_S = 9.0, 32.0
"""How fast sway and lean follow, and how fast all offsets decay after a stop."""
YAW, ROLL, SIDE_M = math.radians(7.0), math.radians(6.0), 0.006
LIFT_M, LEAN_M, CHIN_LIFT = 0.004, 0.005, math.radians(1.6)
SWAY_HZ, SAME_SIDE = (0.42, 0.62), 0.3
FADED_BELOW = 1e-5


class Spring:
    """A damped spring that is pushed and swings back, limited to `most` on either side."""

    def __init__(self, hz: float, damping: float, most: float) -> None:
        self._stiffness, self._damping, self._most = (math.tau * hz) ** 2, 2 * damping * math.tau * hz, most
        # The force that, applied for PUSH_S from rest, moves it by 1.
        root = math.sqrt(1 - damping * damping)
        self._unit = math.tau * hz * math.exp(damping / root * math.acos(damping)) / PUSH_S
        self._place = self._speed = self._push = 0.0
        self._left = 0

    def push(self, size: float) -> None:
        """Push it so that from rest it moves about this far."""
        self._push, self._left = size * self._unit, round(PUSH_S * RATE_HZ)

    def reset(self) -> None:
        self._place = self._speed = 0.0
        self._left = 0

    def step(self, *, released: bool) -> float:
        if released:
            force = -RELEASE_PER_S * (RELEASE_PER_S * self._place + 2 * self._speed)
            self._left = 0
        else:
            force = -self._stiffness * self._place - self._damping * self._speed
            if self._left:
                force += self._push
                self._left -= 1
        self._speed += force * PERIOD_S
        self._place += self._speed * PERIOD_S
        return self._place / math.sqrt(math.sqrt(1 + (self._place / self._most) ** 4))  # soft limit

    @property
    def faded(self) -> bool:
        return abs(self._place) + abs(self._speed) * PERIOD_S < FADED_BELOW


class SpeechSway:
    """Call `offsets` each tick; `play` and `stop` may be called in between."""

    def __init__(self, seed: int | None = None) -> None:
        self._random = random.Random(seed)  # noqa: S311 -- a gesture, not a secret
        self._nod = Spring(NOD_HZ, NOD_DAMPING, NOD_MAX)
        self._flicks = tuple(Spring(FLICK_HZ, FLICK_DAMPING, FLICK_MAX) for _ in range(2))
        self._envelope, self._t0 = array("f"), 0.0
        self._previous, self._previous_t0, self._previous_end = array("f"), 0.0, 0.0
        self._stopped = False
        self.reset()

    # Envelope

    def play(self, envelope: Sequence[float], t0: float, start: int = 0) -> None:
        """Loudness 0..1 at 100 Hz; the first value of all is heard at `t0` (monotonic seconds).

        With `start` 0 it is a new envelope that takes over at `t0`; an empty one stops. A larger `start` appends to or
        overwrites the envelope from that value on; ignored after a stop. Raises TypeError or ValueError for invalid
        values.
        """
        values, start = array("f", envelope), int(start)
        if not math.isfinite(t0):
            return
        if start < 0:
            raise ValueError(f"speech from {start}")
        if start == 0 and not values:
            self.stop()
        elif start == 0:
            self._previous, self._previous_t0, self._previous_end = self._envelope, self._t0, t0
            self._envelope, self._t0, self._stopped = values[: MAX_SPEECH_S * RATE_HZ], t0, False
        elif not self._stopped and start + len(values) <= MAX_SPEECH_S * RATE_HZ:
            missing = start - len(self._envelope)
            if missing > 0:
                self._envelope.extend([0.0] * missing)
            self._envelope[start : start + len(values)] = values
            self._t0 = t0

    def stop(self) -> None:
        """Stop: the head comes to rest within 0.2 s."""
        self._envelope, self._previous, self._stopped = array("f"), array("f"), True

    def ahead(self, now: float) -> bool:
        """Whether some of the envelope is still to be heard."""
        return now < self._t0 + len(self._envelope) * PERIOD_S or now < self._previous_end

    def reset(self) -> None:
        """Reset the offsets to zero at once; the envelope stays."""
        for spring in (self._nod, *self._flicks):
            spring.reset()
        self._baseline = self._fatigue = self._phase = self._hz = 0.0
        self._nodded_at = self._voiced_at = -math.inf
        self._resting = True
        self._phrase = (0.0, 0.0, 0.0, 0.0)
        self._yaw = self._yaw_to = self._roll = self._roll_to = self._lift = self._lift_to = 0.0

    def _at(self, time: float) -> float:
        """The loudness at that time."""
        envelope, place = self._envelope, (time - self._t0) * RATE_HZ
        if place < 0.0 and time < self._previous_end:
            envelope, place = self._previous, (time - self._previous_t0) * RATE_HZ
        if not 0.0 <= place < len(envelope):
            return 0.0
        value = envelope[int(place)]
        return value if 0.0 <= value <= 1.0 else (1.0 if value > 1.0 else 0.0)

    def _upcoming(self, now: float) -> float:
        """The loudness at the look-ahead time, or the last known value if less was sent."""
        time, end = now + AHEAD_S, self._t0 + len(self._envelope) * PERIOD_S
        return self._at(end - PERIOD_S / 2 if now < end <= time else time)

    # Offsets

    def offsets(self, now: float) -> Offsets:
        """The offsets to add at this tick."""
        loud, upcoming = self._at(now), self._upcoming(now)
        if self._resting and not loud and not upcoming:
            return NO_OFFSETS
        self._accent(upcoming, now)
        x, y, z, roll, chin, yaw = self._sway(loud, now)
        pitch = self._nod.step(released=self._stopped) + chin
        left, right = (flick.step(released=self._stopped) for flick in self._flicks)
        calm = not loud and not upcoming and abs(self._lift) + abs(self._yaw) + abs(self._roll) < FADED_BELOW
        self._resting = calm and self._nod.faded and self._flicks[0].faded and self._flicks[1].faded
        if self._resting:
            self.reset()
        return x, y, z, roll, pitch, yaw, left, right

    def _accent(self, upcoming: float, now: float) -> None:
        """Start a nod, and on a strong stress an antenna flick, when the loudness is about to rise."""
        rise = upcoming - self._baseline
        self._baseline += rise * (BASELINE_RISE if rise > 0 else BASELINE_FALL)
        self._fatigue = max(0.0, self._fatigue - FATIGUE_DECAY_PER_S * PERIOD_S)
        if rise < MIN_RISE or now - self._nodded_at < NOD_INTERVAL_S:
            return
        top = max(self._at(now + AHEAD_S + place * PERIOD_S) for place in range(PEAK_VALUES))
        stress = min((max(upcoming, top) - upcoming + rise) / FULL_RISE, 1.0) - self._fatigue * FATIGUE
        if stress < MIN_STRESS:
            return
        self._nodded_at, self._fatigue = now, stress
        rng = self._random
        self._nod.push(NOD * stress * rng.uniform(0.85, 1.1))
        if stress > FLICK_FROM:
            for side, flick in zip((1, -1), self._flicks, strict=True):
                flick.push(side * FLICK * stress * rng.uniform(0.5, 1.0))

    def _sway(self, loud: float, now: float) -> tuple[float, float, float, float, float, float]:
        if loud > VOICED_LEVEL:
            if now - self._voiced_at > PHRASE_GAP_S:
                self._start_phrase()
            self._voiced_at = now
        there = now - self._voiced_at < WORD_GAP_S
        strength = 0.5 + 0.5 * loud if there and not self._stopped else 0.0
        share = (RELEASE_PER_S if self._stopped else FOLLOW_PER_S) * PERIOD_S
        self._phase += math.tau * self._hz * PERIOD_S * self._lift
        aim, swing, tilt, rock = self._phrase
        # Smoothed twice: no overshoot and no corners.
        self._yaw_to += (strength * (aim + swing * math.sin(self._phase)) - self._yaw_to) * share
        self._roll_to += (strength * (tilt + rock * math.sin(0.7 * self._phase)) - self._roll_to) * share
        self._lift_to += (strength - self._lift_to) * share
        self._yaw += (self._yaw_to - self._yaw) * share
        self._roll += (self._roll_to - self._roll) * share
        self._lift += (self._lift_to - self._lift) * share
        lift, roll = self._lift, self._roll
        return LEAN_M * lift, -SIDE_M * roll, LIFT_M * lift, ROLL * roll, -CHIN_LIFT * lift, YAW * self._yaw

    def _start_phrase(self) -> None:
        """A new phrase: another direction, more often to the other side, and another tempo."""
        rng = self._random
        side = -1 if self._phrase[0] > 0 else 1
        if rng.random() < SAME_SIDE:
            side = -side
        aim, tilt = side * rng.uniform(0.2, 0.4), rng.choice((-1, 1)) * rng.uniform(0.2, 0.5)
        self._phrase = aim, side * rng.uniform(0.5, 0.6), tilt, rng.uniform(-0.5, 0.5)
        self._hz = rng.uniform(*SWAY_HZ)
        self._phase = 0.0
