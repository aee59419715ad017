"""Pictures to look at: photographs that come with scikit-image, and drawn ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import skimage.data
from PIL import Image, ImageDraw

from reachy_mind.eyes.boxes import Box
from reachy_mind.eyes.objects import DetectedObject
from reachy_mind.eyes.pictures import Picture

FOLDER = Path(str(skimage.data.__file__)).parent


def photograph(name: str) -> Picture:
    """One that lies in scikit-image's own package: nothing is downloaded."""
    return Picture(np.asarray(Image.open(FOLDER / name).convert("RGB")), 0.0)


def plain(color: tuple[int, int, int], around: tuple[int, int, int] = (128, 128, 128)) -> Picture:
    """A ball of that colour in the middle."""
    image = Image.new("RGB", (320, 180), around)
    ImageDraw.Draw(image).ellipse((120, 50, 200, 130), fill=color)
    return Picture(np.asarray(image), 0.0)


def written(*lines: str) -> Picture:
    image = Image.new("RGB", (640, 360), (225, 220, 210))
    draw = ImageDraw.Draw(image)
    for place, line in enumerate(lines):
        draw.text((40, 40 + 70 * place), line, fill=(15, 15, 30), font_size=34)
    return Picture(np.asarray(image), 0.0)


def seen(name: str, across: float, away: float | None = None, colour: str = "", score: float = 1.0) -> DetectedObject:
    return DetectedObject(name, score, Box(across - 0.03, 0.4, across + 0.03, 0.6), "test", away, colour)
