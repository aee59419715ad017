"""`Seen`: a thing in a picture: what it is, how sure that is, where it is. And what finds such things."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from reachy_mind.eyes.boxes import Box
from reachy_mind.eyes.pictures import Picture


@dataclass(frozen=True, slots=True)
class Seen:
    """`name` is what a person would call it; `detector` is who found it. Colour and distance where they are known."""

    name: str
    score: float
    box: Box
    detector: str
    distance_m: float | None = None
    colour: str = ""

    def as_dict(self) -> dict[str, Any]:
        """For people and programs."""
        told: dict[str, Any] = {"name": self.name, "score": round(self.score, 3), "box": self.box.as_dict()}
        if self.distance_m is not None:
            told["distance_m"] = round(self.distance_m, 3)
        if self.colour:
            told["colour"] = self.colour
        return told | {"detector": self.detector}


class Detector(Protocol):
    """Finds things in pictures."""

    @property
    def name(self) -> str:
        """As the setting `eyes.detector` has it."""

    async def detect(self, picture: Picture) -> list[Seen]:
        """What is in it. Raises NotReady or WorkerError."""

    async def aclose(self) -> None:
        """End what it needs; a later `detect` starts it again."""
