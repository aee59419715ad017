"""`Speech`: the head moves with what is being said, by playback time.

From the loudness it makes four things. A nod on each stressed syllable: its rise is looked for ahead of time, so that
the bottom of the nod falls on the stress. A slow sway, which goes on only while there is speech and takes a new
direction with every phrase. A slight lift and lean forward as long as a phrase lasts. A flick of the antennas on the
strong stresses. In pauses all of it settles. Everything is bounded by construction, and random numbers with a seed make
no two phrases alike.
"""

from __future__ import annotations

import math
import random
from array import array
from collections.abc import Sequence

from reachy_mind.motion.limits import PERIOD_S, RATE_HZ

Offsets = tuple[float, float, float, float, float, float, float, float]
"""What a layer adds: x forward and y left as the head faces, z, roll, pitch, yaw, left antenna, right antenna."""
NOTHING: Offsets = (0.0,) * 8

LONGEST_S = 1800
AHEAD_S = 0.1
"""Rises are looked for this far ahead. A nod takes a little longer to its bottom, a syllable to its loudest moment too;
the command is there up to 0.1 s before it, because a robot trails behind its commands."""
RECALL_RISE, RECALL_FALL = 0.06, 0.3
"""Share per tick by which the loudness just before, from which a rise is measured, follows upwards and downwards."""
RISE, STRONG_RISE, LEAST = 0.16, 0.7, 0.25
"""The least rise that counts, the one that gives the deepest nod, and the weakest nod worth making."""
PEAK = 9
"""Values after the beginning of a rise among which its top is looked for."""
APART_S, WORN, WORN_PER_S = 0.25, 0.9, 1.1
"""Nods are at least this far apart, and one soon after another must be on a stronger stress to be as deep."""

NOD, NOD_MOST = math.radians(5.0), math.radians(6.0)
NOD_HZ, NOD_DAMPING = 2.0, 0.5
FLICK, FLICK_MOST = math.radians(9), math.radians(14)
FLICK_HZ, FLICK_DAMPING, FLICK_FROM = 2.8, 0.35, 0.55
PUSH_S = 0.05
"""A nod and a flick are pushed off for this long, not kicked."""

VOICED, BRIDGED_S, PHRASE_GAP_S = 0.12, 0.1, 0.25
"""What counts as speech, the gap within a word that does not count as a pause, and the pause that ends a phrase."""
FOLLOW_PER_S, RELEASE_PER_S = 9.0, 32.0
"""How fast sway and lean follow, and how fast everything lets go after a cancel."""
YAW, ROLL, ASIDE_M = math.radians(7.0), math.radians(6.0), 0.006
LIFT_M, LEAN_M, CHIN = 0.004, 0.005, math.radians(1.6)
SWAY_HZ, SAME_SIDE = (0.42, 0.62), 0.3
FADED = 1e-5


class Spring:
    """Something that is pushed and swings back, damped, never further than `most` to either side."""

    def __init__(self, hz: float, damping: float, most: float) -> None:
        self._stiffness, self._damping, self._most = (math.tau * hz) ** 2, 2 * damping * math.tau * hz, most
        # The force that, for so long and from rest, makes it go 1 far.
        root = math.sqrt(1 - damping * damping)
        self._unit = math.tau * hz * math.exp(damping / root * math.acos(damping)) / PUSH_S
        self._place = self._speed = self._push = 0.0
        self._left = 0

    def push(self, size: float) -> None:
        """So that from rest it goes about this far."""
        self._push, self._left = size * self._unit, round(PUSH_S * RATE_HZ)

    def rest(self) -> None:
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
        return self._place / math.sqrt(math.sqrt(1 + (self._place / self._most) ** 4))  # the bend is near the end

    @property
    def faded(self) -> bool:
        return abs(self._place) + abs(self._speed) * PERIOD_S < FADED


class Speech:
    """Tick by tick; `play` and `stop` may be called in between."""

    def __init__(self, seed: int | None = None) -> None:
        self._random = random.Random(seed)  # noqa: S311 -- a gesture, not a secret
        self._nod = Spring(NOD_HZ, NOD_DAMPING, NOD_MOST)
        self._flicks = tuple(Spring(FLICK_HZ, FLICK_DAMPING, FLICK_MOST) for _ in range(2))
        self._envelope, self._t0 = array("f"), 0.0
        self._last, self._last_t0, self._last_end = array("f"), 0.0, 0.0
        self._stopped = False
        self.rest()

    # What is said

    def play(self, envelope: Sequence[float], t0: float, start: int = 0) -> None:
        """Loudness 0..1 at 100 a second, the first one of all heard at `t0` (monotonic seconds).

        With `start` 0 it is something new, which takes over at `t0`; empty, it ends what there was. With more it goes
        on with, or overwrites, what was sent before, from that value on; after a stop there is nothing to go on with.
        Raises TypeError or ValueError for what is no loudness.
        """
        values, start = array("f", envelope), int(start)
        if not math.isfinite(t0):
            return
        if start < 0:
            raise ValueError(f"speech from {start}")
        if start == 0 and not values:
            self.stop()
        elif start == 0:
            self._last, self._last_t0, self._last_end = self._envelope, self._t0, t0
            self._envelope, self._t0, self._stopped = values[: LONGEST_S * RATE_HZ], t0, False
        elif not self._stopped and start + len(values) <= LONGEST_S * RATE_HZ:
            missing = start - len(self._envelope)
            if missing > 0:
                self._envelope.extend([0.0] * missing)
            self._envelope[start : start + len(values)] = values
            self._t0 = t0

    def stop(self) -> None:
        """End it: the head comes to rest within 0.2 s."""
        self._envelope, self._last, self._stopped = array("f"), array("f"), True

    def rest(self) -> None:
        """Start again from no offset at all, at once; what is being said goes on."""
        for spring in (self._nod, *self._flicks):
            spring.rest()
        self._before = self._worn = self._phase = self._hz = 0.0
        self._nodded_at = self._voiced_at = -math.inf
        self._resting = True
        self._phrase = (0.0, 0.0, 0.0, 0.0)
        self._yaw = self._yaw_to = self._roll = self._roll_to = self._lift = self._lift_to = 0.0

    def _at(self, time: float) -> float:
        """The loudness heard at a time."""
        envelope, place = self._envelope, (time - self._t0) * RATE_HZ
        if place < 0.0 and time < self._last_end:
            envelope, place = self._last, (time - self._last_t0) * RATE_HZ
        if not 0.0 <= place < len(envelope):
            return 0.0
        value = envelope[int(place)]
        return value if 0.0 <= value <= 1.0 else (1.0 if value > 1.0 else 0.0)

    def _coming(self, now: float) -> float:
        """The loudness a little ahead, or the last that is known when less than that was sent."""
        time, end = now + AHEAD_S, self._t0 + len(self._envelope) * PERIOD_S
        return self._at(end - PERIOD_S / 2 if now < end <= time else time)

    # How the head moves

    def offsets(self, now: float) -> Offsets:
        """What to add at this tick."""
        loud, coming = self._at(now), self._coming(now)
        if self._resting and not loud and not coming:
            return NOTHING
        self._accent(coming, now)
        x, y, z, roll, chin, yaw = self._sway(loud, now)
        pitch = self._nod.step(released=self._stopped) + chin
        left, right = (flick.step(released=self._stopped) for flick in self._flicks)
        calm = not loud and not coming and abs(self._lift) + abs(self._yaw) + abs(self._roll) < FADED
        self._resting = calm and self._nod.faded and self._flicks[0].faded and self._flicks[1].faded
        if self._resting:
            self.rest()
        return x, y, z, roll, pitch, yaw, left, right

    def _accent(self, coming: float, now: float) -> None:
        """A nod, and on a strong stress a flick of the antennas, where the loudness is about to rise."""
        rise = coming - self._before
        self._before += rise * (RECALL_RISE if rise > 0 else RECALL_FALL)
        self._worn = max(0.0, self._worn - WORN_PER_S * PERIOD_S)
        if rise < RISE or now - self._nodded_at < APART_S:
            return
        top = max(self._at(now + AHEAD_S + place * PERIOD_S) for place in range(PEAK))
        stress = min((max(coming, top) - coming + rise) / STRONG_RISE, 1.0) - self._worn * WORN
        if stress < LEAST:
            return
        self._nodded_at, self._worn = now, stress
        dice = self._random
        self._nod.push(NOD * stress * dice.uniform(0.85, 1.1))
        if stress > FLICK_FROM:
            for side, flick in zip((1, -1), self._flicks, strict=True):
                flick.push(side * FLICK * stress * dice.uniform(0.5, 1.0))

    def _sway(self, loud: float, now: float) -> tuple[float, float, float, float, float, float]:
        if loud > VOICED:
            if now - self._voiced_at > PHRASE_GAP_S:
                self._turn()
            self._voiced_at = now
        there = now - self._voiced_at < BRIDGED_S
        strength = 0.5 + 0.5 * loud if there and not self._stopped else 0.0
        share = (RELEASE_PER_S if self._stopped else FOLLOW_PER_S) * PERIOD_S
        self._phase += math.tau * self._hz * PERIOD_S * self._lift
        aim, swing, tilt, rock = self._phrase
        # Twice smoothed, each time as a mean of old and new: never further than what it follows, and without corners.
        self._yaw_to += (strength * (aim + swing * math.sin(self._phase)) - self._yaw_to) * share
        self._roll_to += (strength * (tilt + rock * math.sin(0.7 * self._phase)) - self._roll_to) * share
        self._lift_to += (strength - self._lift_to) * share
        self._yaw += (self._yaw_to - self._yaw) * share
        self._roll += (self._roll_to - self._roll) * share
        self._lift += (self._lift_to - self._lift) * share
        lift, roll = self._lift, self._roll
        return LEAN_M * lift, -ASIDE_M * roll, LIFT_M * lift, ROLL * roll, -CHIN * lift, YAW * self._yaw

    def _turn(self) -> None:
        """A new phrase: another direction, more often to the other side, and another pace."""
        dice = self._random
        side = -1 if self._phrase[0] > 0 else 1
        if dice.random() < SAME_SIDE:
            side = -side
        aim, tilt = side * dice.uniform(0.2, 0.4), dice.choice((-1, 1)) * dice.uniform(0.2, 0.5)
        self._phrase = aim, side * dice.uniform(0.5, 0.6), tilt, dice.uniform(-0.5, 0.5)
        self._hz = dice.uniform(*SWAY_HZ)
        self._phase = 0.0
