"""`ThingSight`: what the robots see of the things of a task. `GeometricSight`: whatever is in view.

A task asks it once for each picture, and knows no more of a thing than it was told so. Bearings are those of
`camera_bearing`. The sight that looks into a rendered picture is `PictureSight`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from reachy_mind.learning.environments.bodies import Array, Mask
from reachy_mind.learning.environments.gaze import camera_bearing, in_view
from reachy_mind.learning.environments.scenes import Region, places


@dataclass(frozen=True)
class ThingsSeen:
    """One value for each robot. Bearings and distance mean something only where `seen`."""

    seen: Mask
    left: Array
    up: Array
    far: Array


class ThingSight(Protocol):
    def begin(self, rng: np.random.Generator) -> None:
        """New scenes are drawn: the things in them may be others."""
        ...

    def fits(self, things: Array) -> bool:
        """Whether things can be in all of these places (rows); if not, the places are drawn again."""
        ...

    def look(self, rows: Mask, poses: Array, things: Array) -> ThingsSeen:
        """What the robots of these rows see when things are there. Nobody else sees anything."""
        ...


class GeometricSight:
    """Every thing in view is seen, exactly where it is."""

    def begin(self, rng: np.random.Generator) -> None:
        """All things look the same."""

    def fits(self, things: Array) -> bool:  # noqa: ARG002
        return True

    def look(self, rows: Mask, poses: Array, things: Array) -> ThingsSeen:
        left, up, _, far = camera_bearing(poses, things)
        return ThingsSeen(rows & in_view(left, up), left, up, far)


GEOMETRY = GeometricSight()


def drawn_scenes(sight: ThingSight, rng: np.random.Generator, region: Region, count: int) -> Array:
    """Where the things of so many new scenes are: (count, 3)."""
    sight.begin(rng)
    while not sight.fits(drawn := places(*region.draw(rng, count))):
        continue
    return drawn
