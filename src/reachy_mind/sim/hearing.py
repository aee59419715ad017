"""Where a sound comes from, as the robot reports it.

The robot's microphones form a bar across its head, from left to right. Such a bar knows the angle between a sound and
itself and nothing else: 0 is left, a half pi ahead *or behind*, pi right, all relative to the head. The reading
follows the loudest sound that stands out from the noise, ten times a second as the vendor's daemon polls it, and stays
where it is in silence. It scatters by two degrees. The robot's own voice moves nothing: on the robot the chip that
finds the direction has that removed. `speech_detected` here means any sound that stands out; the robot's chip has an
idea of speech, which is not simulated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from reachy_mind.body.protocol import SoundDirection
from reachy_mind.sim.room import EAR, Place

BLOCKS_PER_READING = 5
READINGS_HELD = 3
STANDS_OUT = 4.0
"""Times the power of the noise: six decibels."""
FAINTEST = 1e-7
"""Power below which nothing is noticed, -70 dB of full scale."""
SCATTER = math.radians(2)


def angle(place: Place, head: Sequence[float]) -> float:
    """Between the left end of the bar and a sound, for a head with this 4x4 transform."""
    way = np.array([place.x, place.y, place.z]) - EAR
    left = np.array([head[1], head[5], head[9]])  # the head's y axis, seen from the foot
    return math.acos(float(np.clip(way @ left / max(1e-9, float(np.linalg.norm(way))), -1, 1)))


class Hearing:
    def __init__(self, seed: int) -> None:
        self.reading = SoundDirection(angle=math.pi / 2, speech_detected=False)
        self._rng = np.random.default_rng([seed, 2])
        self._powers: dict[Place, float] = {}
        self._blocks = self._held = 0

    def listen(self, powers: Sequence[tuple[Place, float]], noise: float, head: Sequence[float]) -> None:
        """Takes in one block: how much power reaches the microphones straight from each place."""
        for place, power in powers:
            self._powers[place] = self._powers.get(place, 0.0) + power / BLOCKS_PER_READING
        self._blocks += 1
        if self._blocks < BLOCKS_PER_READING:
            return
        loudest = max(self._powers, key=lambda place: self._powers[place], default=None)
        power = self._powers[loudest] if loudest else 0.0
        self._blocks, self._powers = 0, {}
        scatter = self._rng.normal(0, SCATTER)  # drawn even when unused, so that a silence changes nothing later
        if loudest is not None and power > max(FAINTEST, STANDS_OUT * noise):
            found = min(math.pi, max(0.0, angle(loudest, head) + scatter))
            self.reading, self._held = SoundDirection(angle=found, speech_detected=True), READINGS_HELD
        elif self._held > 0:
            self._held -= 1
            self.reading = SoundDirection(angle=self.reading.angle, speech_detected=self._held > 0)
