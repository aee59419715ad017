"""What is told of a frame of the simulated eye: names for what the camera process found in it (`segments.py`).

Kept apart from MuJoCo, which the camera process may import only once it has chosen how to draw.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from reachy_mind.errors import InvalidParameter


class NoSuchFrame(InvalidParameter):
    """Not one of the last frames."""

    code = "NOT_FOUND"


@dataclass(frozen=True)
class Named:
    """What people call something, and what they would say it is."""

    name: str
    label: str


@dataclass(frozen=True)
class Names:
    """Of the things and people in a frame, by their places in the pool."""

    things: Mapping[int, Named] = field(default_factory=dict)
    people: Mapping[int, Named] = field(default_factory=dict)

    def told(self, found: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """What the camera process found, with names for places."""
        known = {"thing": self.things, "person": self.people}
        told = []
        for each in found:
            named = known[each["kind"]][each.pop("place")]
            told.append({"name": named.name, "label": named.label} | each)
        return told
