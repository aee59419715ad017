"""`Letterbox`: fits a picture into a square network input without distortion, and maps coordinates back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from reachy_mind.eyes.boxes import Box
from reachy_mind.eyes.faces import Point

if TYPE_CHECKING:
    from reachy_mind.eyes.pictures import Pixels


@dataclass(frozen=True, slots=True)
class Letterbox:
    """The picture fills the shares `wide` and `high` of the square, centred."""

    wide: float
    high: float

    @classmethod
    def of(cls, width: int, height: int) -> Letterbox:
        longer = max(width, height)
        return cls(width / longer, height / longer)

    def to_picture(self, x: float, y: float) -> Point:
        """A point in the square (shares), as a point in the picture."""
        return (x - (1 - self.wide) / 2) / self.wide, (y - (1 - self.high) / 2) / self.high

    def box(self, left: float, top: float, right: float, bottom: float) -> Box:
        """The same for a box, clipped to the picture."""
        return Box(*self.to_picture(left, top), *self.to_picture(right, bottom)).clipped()


def letterboxed(cv2: Any, pixels: Pixels, side: int, *, padding: int = 0) -> NDArray[np.uint8]:
    """The picture in a square of `side` pixels, padded with `padding`."""
    height, width = pixels.shape[:2]
    scale = side / max(width, height)
    size = max(1, round(width * scale)), max(1, round(height * scale))
    shrunk = cv2.resize(pixels, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
    square = np.full((side, side, 3), padding, np.uint8)
    left, top = (side - size[0]) // 2, (side - size[1]) // 2
    square[top : top + size[1], left : left + size[0]] = shrunk
    return square
