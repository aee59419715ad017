"""Direction of arrival (DOA) of a sound, as the robot reports it.

The robot's microphones form a linear array across its head. It measures only the angle between a sound and itself: 0 is
left, half pi ahead *or behind*, pi right, relative to the head. The reading follows the loudest sound above the noise,
at 10 Hz as the vendor's daemon polls it, keeps its value in silence, and scatters by two degrees. The robot's own voice
has no effect: the robot's chip removes it. `speech_detected` here means any sound above the noise; the chip's speech
detection is not simulated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from reachy_mind.body.protocol import SoundDirection
from reachy_mind.sim.room_acoustics import EAR, SoundPlace

BLOCKS_PER_READING = 5
READINGS_HELD = 3
DETECTION_RATIO = 4.0
"""Ratio to the power of the noise: six decibels."""
MIN_POWER = 1e-7
"""Power below which nothing is detected, -70 dB of full scale."""
SCATTER_RADIANS = math.radians(2)


def angle(place: SoundPlace, head: Sequence[float]) -> float:
    """Angle between the left end of the array and a sound, for a head with this 4x4 transform."""
    way = np.array([place.x, place.y, place.z]) - EAR
    left = np.array([head[1], head[5], head[9]])  # the head's y axis, seen from the foot
    return math.acos(float(np.clip(way @ left / max(1e-9, float(np.linalg.norm(way))), -1, 1)))


class SoundDirectionReport:
    def __init__(self, seed: int) -> None:
        self.reading = SoundDirection(angle=math.pi / 2, speech_detected=False)
        self._rng = np.random.default_rng([seed, 2])
        self._powers: dict[SoundPlace, float] = {}
        self._blocks = self._held = 0

    def listen(self, powers: Sequence[tuple[SoundPlace, float]], noise: float, head: Sequence[float]) -> None:
        """Process one block: the direct power that reaches the microphones from each place."""
        for place, power in powers:
            self._powers[place] = self._powers.get(place, 0.0) + power / BLOCKS_PER_READING
        self._blocks += 1
        if self._blocks < BLOCKS_PER_READING:
            return
        loudest = max(self._powers, key=lambda place: self._powers[place], default=None)
        power = self._powers[loudest] if loudest else 0.0
        self._blocks, self._powers = 0, {}
        scatter = self._rng.normal(0, SCATTER_RADIANS)  # drawn even if unused: keeps the sequence
        if loudest is not None and power > max(MIN_POWER, DETECTION_RATIO * noise):
            found = min(math.pi, max(0.0, angle(loudest, head) + scatter))
            self.reading, self._held = SoundDirection(angle=found, speech_detected=True), READINGS_HELD
        elif self._held > 0:
            self._held -= 1
            self.reading = SoundDirection(angle=self.reading.angle, speech_detected=self._held > 0)
