"""`Speakers`: who speaks, by the direction from which they introduced themselves.

Nobody is recognised: a name belongs to a place, as long as people speak from there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

SAME_PLACE = math.radians(20)
"""The array is off by ten degrees at times, and people lean over."""
FORGOTTEN_S = 600.0
"""A place from which nobody has spoken for this time is nobody's."""
MOVED_SHARE = 0.3


@dataclass
class _Place:
    name: str
    yaw: float
    heard_at: float


class Speakers:
    """Of one conversation. `seen`: how many faces the robot sees; without two nobody else can have spoken."""

    def __init__(self, seen: Callable[[], int]) -> None:
        self._seen = seen
        self._places: list[_Place] = []

    def introduced(self, name: str, yaw: float | None, at: float) -> None:
        """Somebody said their name; empty when they denied the one they had."""
        near = self._nearest(yaw, at)
        self._places = [each for each in self._places if each is not near and each.name != name]
        if name and yaw is not None:
            self._places.append(_Place(name, yaw, at))

    def speaking(self, yaw: float | None, at: float) -> str | None:
        """The name of who speaks from there: empty when that is not known, None for somebody else than all named."""
        place = self._nearest(yaw, at)
        if place is not None and yaw is not None:
            place.yaw = math.remainder(place.yaw + MOVED_SHARE * math.remainder(yaw - place.yaw, math.tau), math.tau)
            place.heard_at = at
            return place.name
        return None if yaw is not None and self._places and self._seen() >= 2 else ""

    def _nearest(self, yaw: float | None, at: float) -> _Place | None:
        self._places = [each for each in self._places if at - each.heard_at <= FORGOTTEN_S]
        if yaw is None or not self._places:
            return None
        nearest = min(self._places, key=lambda each: abs(math.remainder(each.yaw - yaw, math.tau)))
        return nearest if abs(math.remainder(nearest.yaw - yaw, math.tau)) <= SAME_PLACE else None
