"""Real photographs, from scikit-image's package (a dependency of the tests alone); nothing of it is imported."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
from PIL import Image

from reachy_mind.eyes.pictures import Picture, Pixels


def photo(name: str) -> Pixels:
    """Such as astronaut.png."""
    found = importlib.util.find_spec("skimage")
    assert found is not None and found.origin is not None
    return np.asarray(Image.open(Path(found.origin).parent / "data" / name).convert("RGB"))


def picture(pixels: Pixels, at: float = 0.0) -> Picture:
    return Picture(pixels, at)


def on_grey(pixels: Pixels, width: int, height: int, left: int, top: int) -> Pixels:
    """A photograph as a part of a larger picture."""
    whole = np.full((height, width, 3), 128, np.uint8)
    whole[top : top + pixels.shape[0], left : left + pixels.shape[1]] = pixels
    return whole


def shrunk(pixels: Pixels, side: int) -> Pixels:
    return np.asarray(Image.fromarray(pixels).resize((side, side)))
