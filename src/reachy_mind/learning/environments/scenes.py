"""`Region`: where things and people are in the scenes of a task, drawn at random.

Scenes are `usual` (to train in), `narrow` (a small part of the usual ones: train there, test in all) or `unseen`
(in directions beyond the usual ones, within the robot's reach: never to train in).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from reachy_mind.learning.environments.bodies import Array, Mask

Scenes = Literal["usual", "unseen", "narrow"]
Interval = tuple[float, float]
LEAST_SHARE = 0.25
"""Of the angles of a region that the easiest scenes have."""


@dataclass(frozen=True)
class Region:
    """Azimuth and elevation in degrees from the neutral head's pivot, distance in metres. `without`: a region whose
    directions are left out."""

    azimuth: Interval = (-55.0, 55.0)
    elevation: Interval = (-35.0, 25.0)
    distance: Interval = (0.35, 1.2)
    without: Region | None = None

    def easier(self, difficulty: float) -> Region:
        """Nearer to straight ahead: 1.0 is the region itself, 0.0 a quarter of its angles."""
        share = LEAST_SHARE + (1.0 - LEAST_SHARE) * difficulty
        azimuth, elevation = ((low * share, high * share) for low, high in (self.azimuth, self.elevation))
        return replace(self, azimuth=azimuth, elevation=elevation)

    def draw(self, rng: np.random.Generator, count: int) -> tuple[Array, Array, Array]:
        """Azimuth and elevation in radians and distance of so many things."""
        drawn = self._degrees(rng, count)
        if self.without is not None:
            while (again := self.without.has_direction(drawn)).any():
                drawn[:, again] = self._degrees(rng, int(again.sum()))
        azimuth, elevation = np.radians(drawn[:2])
        return azimuth, elevation, drawn[2]

    def has_direction(self, degrees: Array) -> Mask:
        """Of the columns azimuth and elevation, those in this region."""
        (left, right), (low, high) = self.azimuth, self.elevation
        inside: Mask = (left <= degrees[0]) & (degrees[0] <= right) & (low <= degrees[1]) & (degrees[1] <= high)
        return inside

    def _degrees(self, rng: np.random.Generator, count: int) -> Array:
        return np.stack([rng.uniform(*limits, count) for limits in (self.azimuth, self.elevation, self.distance)])


def places(azimuth: Array, elevation: Array, distance: Array) -> Array:
    """Metres ahead of the neutral head's pivot, to its left and above it: (count, 3)."""
    flat = distance * np.cos(elevation)
    return np.stack([flat * np.cos(azimuth), flat * np.sin(azimuth), distance * np.sin(elevation)], axis=1)
