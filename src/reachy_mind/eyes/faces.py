"""`Face`: a face in a picture, and what finds them: `FaceDetector`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from reachy_mind.eyes.boxes import Box
    from reachy_mind.eyes.pictures import Picture

Place = tuple[float, float]
"""In a picture, as shares of its width and height."""

THRESHOLD = 0.5
"""With a lower score it is no face."""


@dataclass(frozen=True, slots=True)
class Face:
    """Where it is and how sure one may be, 0 to 1. `eyes` are the places of both, where the detector tells."""

    box: Box
    score: float
    eyes: tuple[Place, ...] = ()


class FaceDetector(Protocol):
    """One call at a time. It may load its model with the first."""

    name: str

    async def detect(self, picture: Picture) -> list[Face]:
        """Every face in it, surest first. Raises a MindError that says why it can't look."""

    async def aclose(self) -> None:
        """Let go of what it holds; a later call loads it again."""
