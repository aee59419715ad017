"""A video file in the place of a camera."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

SIZE = (160, 90)


def film(path: Path, shades: Sequence[int], *, rate: float = 50.0) -> str:
    """Frames of one grey each, from 0 to 255. Its path."""
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), rate, SIZE)
    for shade in shades:
        writer.write(np.full((SIZE[1], SIZE[0], 3), shade, np.uint8))
    writer.release()
    return str(path)


def emptied(path: str) -> str:
    """A film that can still be opened, and has no picture."""
    whole = Path(path).read_bytes()
    Path(path).write_bytes(whole[: whole.index(b"movi") + 4])
    return path


def seen(jpeg: bytes) -> tuple[tuple[int, int], float]:
    """Width and height of a picture, and how bright it is."""
    picture = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_GRAYSCALE)
    assert picture is not None
    return (picture.shape[1], picture.shape[0]), float(picture.mean())
