"""Names for the objects that the camera process found in a frame of the simulated eye (`segmentation`).

Does not import MuJoCo, which the camera process may import only after it has chosen a rendering backend.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from reachy_mind.errors import InvalidParameter


class NoSuchFrame(InvalidParameter):
    """The frame is not one of the last ones."""

    code = "NOT_FOUND"


@dataclass(frozen=True)
class ObjectName:
    """The name of an object in the scene, and its class label."""

    name: str
    label: str


@dataclass(frozen=True)
class FrameNames:
    """Names of the objects and people in a frame, by their slots in the pool."""

    things: Mapping[int, ObjectName] = field(default_factory=dict)
    people: Mapping[int, ObjectName] = field(default_factory=dict)

    def with_names(self, found: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The objects found by the camera process, with names instead of slots."""
        known = {"thing": self.things, "person": self.people}
        described = []
        for each in found:
            named = known[each["kind"]][each.pop("slot")]
            described.append({"name": named.name, "label": named.label} | each)
        return described
