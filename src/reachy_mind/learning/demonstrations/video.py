"""Camera frames of a demonstration as an MP4 file (MPEG-4 Part 2, which FFmpeg and so LeRobot decode).

OpenCV writes and reads it; it comes with the extra `media`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reachy_mind.errors import MindError, MissingExtra
from reachy_mind.learning.demonstrations.demonstration import DatasetInvalid

CODEC = "mpeg4"
MAX_PIXELS = 1920 * 1080

Image = NDArray[np.uint8]
"""Height, width, and blue, green, red, as OpenCV has them."""


def decoded(jpegs: Sequence[bytes]) -> list[Image]:
    """JPEGs as images. Raises DatasetInvalid for what is no JPEG."""
    cv2 = _opencv()
    images: list[Image] = []
    for jpeg in jpegs:
        image = cv2.imdecode(np.frombuffer(jpeg, dtype=np.uint8), cv2.IMREAD_COLOR)
        if image is None or image.shape[0] * image.shape[1] > MAX_PIXELS:
            raise DatasetInvalid("a camera frame is no JPEG of a usual size", hint="record it again, or without camera")
        images.append(image)
    return images


def resized(images: Sequence[Image], shape: Sequence[int]) -> list[Image]:
    """Images in this shape (height, width, 3)."""
    cv2, (height, width) = _opencv(), shape[:2]
    return [image if image.shape[:2] == (height, width) else cv2.resize(image, (width, height)) for image in images]


def encoded(images: Sequence[Image]) -> tuple[bytes, ...]:
    """Images as JPEGs."""
    cv2 = _opencv()
    return tuple(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 95])[1].tobytes() for image in images)


def write_video(file: Path, images: Sequence[Image], fps: int) -> None:
    """Raises MindError when this machine can't encode it."""
    cv2 = _opencv()
    height, width = images[0].shape[:2]
    writer = cv2.VideoWriter(str(file), cv2.VideoWriter_fourcc(*"mp4v"), float(fps), (width, height))
    try:
        if not writer.isOpened():
            raise MindError(f"{file.name} can't be encoded here", hint="record without the camera")
        for image in images:
            writer.write(image)
    finally:
        writer.release()


def read_video(file: Path, start_s: float, count: int) -> list[Image]:
    """`count` frames from `start_s` seconds on. Raises DatasetInvalid when the file does not have them."""
    images = list(_frames(file, start_s, count))
    if len(images) < count:
        raise DatasetInvalid(
            f"{file.name} has {len(images)} of {count} frames that can be read",
            hint="its codec may be missing here: import it without video",
        )
    return images


def length_and_shape(file: Path) -> tuple[int, tuple[int, ...]]:
    """The number of frames that the file says it has, and their shape."""
    cv2 = _opencv()
    video = cv2.VideoCapture(str(file))
    try:
        count, height, width = (
            int(video.get(name))
            for name in (cv2.CAP_PROP_FRAME_COUNT, cv2.CAP_PROP_FRAME_HEIGHT, cv2.CAP_PROP_FRAME_WIDTH)
        )
        return count, (height, width, 3)
    finally:
        video.release()


def _frames(file: Path, start_s: float, count: int) -> Iterator[Image]:
    cv2 = _opencv()
    video = cv2.VideoCapture(str(file))
    try:
        first = round(start_s * (video.get(cv2.CAP_PROP_FPS) or 0.0))
        for number in range(first + count):
            there, image = video.read()
            if not there or image.shape[0] * image.shape[1] > MAX_PIXELS:
                return
            if number >= first:
                yield image
    finally:
        video.release()


def _opencv() -> Any:
    try:
        import cv2  # noqa: PLC0415 -- the extra
    except ImportError:
        raise MissingExtra("a demonstration with camera frames", "media") from None
    return cv2
