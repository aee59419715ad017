"""`ObjectDetector`: the protocol of an object detector, and `DetectedObject`, its result.

A new detector is a module that implements this protocol, and an entry in `object_detectors`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from reachy_mind.eyes.boxes import Box
from reachy_mind.eyes.pictures import Picture


@dataclass(frozen=True, slots=True)
class DetectedObject:
    """`name` is an everyday name, `detector` the detector's name. Colour and distance are set where known."""

    name: str
    score: float
    box: Box
    detector: str
    distance_m: float | None = None
    colour: str = ""

    def as_dict(self) -> dict[str, Any]:
        """As JSON values."""
        fields: dict[str, Any] = {"name": self.name, "score": round(self.score, 3), "box": self.box.as_dict()}
        if self.distance_m is not None:
            fields["distance_m"] = round(self.distance_m, 3)
        if self.colour:
            fields["colour"] = self.colour
        return fields | {"detector": self.detector}


class ObjectDetector(Protocol):
    """Finds objects in pictures."""

    @property
    def name(self) -> str:
        """The value of the setting `eyes.detector` that selects it."""

    async def detect(self, picture: Picture) -> list[DetectedObject]:
        """The objects in the picture. Raises NotReady or WorkerError."""

    async def aclose(self) -> None:
        """Release the model. A later `detect` loads it again."""
