"""`FaceDetector`: the protocol of a face detector (head tracker), and `Face`, its result.

A new detector is a module that implements this protocol, and an entry in `head_trackers.BUILT_IN_TRACKERS`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from reachy_mind.eyes.boxes import Box
    from reachy_mind.eyes.pictures import Picture

Point = tuple[float, float]
"""x and y in a picture, as shares of its width and height."""

MIN_SCORE = 0.5
"""A detection with a lower score is dropped."""


@dataclass(frozen=True, slots=True)
class Face:
    """`score` is the confidence, 0 to 1. `eyes`: the positions of both eyes, if the detector returns them."""

    box: Box
    score: float
    eyes: tuple[Point, ...] = ()


class FaceDetector(Protocol):
    """Gets one call at a time. It may load its model on the first."""

    name: str

    async def detect(self, picture: Picture) -> list[Face]:
        """All faces in the picture, highest score first. Raises a MindError with the reason when it can't detect."""

    async def aclose(self) -> None:
        """Release the model. A later `detect` loads it again."""
