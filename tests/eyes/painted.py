"""Pictures whose content a test knows: one colour on the left, another on the right."""

from __future__ import annotations

import numpy as np

from reachy_mind.eyes.pictures import Picture, Pixels
from tests.fakes.vision_server import COLOURS


def pixels(left: str, right: str, width: int = 640, height: int = 360) -> Pixels:
    made = np.empty((height, width, 3), dtype=np.uint8)
    made[:, : width // 2], made[:, width // 2 :] = COLOURS[left], COLOURS[right]
    return made


def painted(left: str, right: str, width: int = 640, height: int = 360) -> Picture:
    return Picture(pixels(left, right, width, height), 1.0)
