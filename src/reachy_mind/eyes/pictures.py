"""`Picture`: pixels that are safe to work with, from a camera or from whoever sends one.

A picture from outside is read only after its kind and its size are known from its first bytes, so that neither a huge
one nor a broken one costs more than an error.
"""

from __future__ import annotations

import base64
import binascii
import io
import warnings
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps, UnidentifiedImageError

from reachy_mind.body.protocol import frame_digest
from reachy_mind.errors import HardwareError, InvalidParameter

MOST_BYTES = 16 << 20
MOST_PIXELS = 24_000_000
"""More than any camera of ours has; 100 megapixels would be 300 MB."""
LEAST_SIDE = 8
"""Nothing is to be seen in less."""
KINDS = ("JPEG", "PNG", "WEBP")
_HINT = f"send a JPEG, PNG or WebP of at most {MOST_PIXELS // 1_000_000} megapixels and {MOST_BYTES >> 20} MB"

Pixels = NDArray[np.uint8]
"""Rows of red, green, blue."""


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """`pixels` can't be written to: whoever wants to draw on them makes a copy. `taken_at` is monotonic, in seconds.

    `digest` is that of the file the picture was read from: the simulator knows its own by it.
    """

    pixels: Pixels
    taken_at: float
    digest: str = ""

    @property
    def width(self) -> int:
        return int(self.pixels.shape[1])

    @property
    def height(self) -> int:
        return int(self.pixels.shape[0])


def from_camera(data: bytes, taken_at: float) -> Picture:
    """What a camera gave us. Raises HardwareError when it is no picture."""
    try:
        return Picture(_read(data), taken_at, frame_digest(data))
    except InvalidParameter as error:
        raise HardwareError(f"the camera's picture: {error.message}", hint="look again") from error


def from_outside(data: bytes, taken_at: float) -> Picture:
    """What somebody sent. Raises InvalidParameter that says what is wrong with it."""
    return Picture(_read(data), taken_at)


def from_text(text: str, taken_at: float) -> Picture:
    """The same, in base64 or as a data: address."""
    encoded = text.partition(",")[2] if text.startswith("data:") else text
    if len(encoded) > MOST_BYTES * 4 // 3 + 4:
        raise InvalidParameter(f"the picture has more than {MOST_BYTES >> 20} MB", hint=_HINT)
    try:
        data = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvalidParameter(f"the picture is not base64: {error}", hint=_HINT) from None
    return from_outside(data, taken_at)


def encoded(pixels: Pixels, kind: Literal["JPEG", "PNG"] = "JPEG") -> bytes:
    """A file of that kind."""
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, kind, quality=90)
    return file.getvalue()


def reduced(pixels: Pixels, longest: int) -> Pixels:
    """The same picture, no longer than that. Takes some milliseconds: call it in a thread."""
    height, width = pixels.shape[:2]
    share = longest / max(height, width)
    if share >= 1:
        return pixels
    size = max(1, round(width * share)), max(1, round(height * share))
    return np.asarray(Image.fromarray(pixels).resize(size, Image.Resampling.BILINEAR, reducing_gap=2.0))


def _read(data: bytes) -> Pixels:
    if not data:
        raise InvalidParameter("the picture is empty", hint=_HINT)
    if len(data) > MOST_BYTES:
        raise InvalidParameter(f"the picture has more than {MOST_BYTES >> 20} MB", hint=_HINT)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow's own about large pictures: ours is stricter
            image = Image.open(io.BytesIO(data), formats=KINDS)
            _check(image.width, image.height)
            upright = ImageOps.exif_transpose(image).convert("RGB")
    except InvalidParameter:
        raise
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, EOFError, Image.DecompressionBombError) as error:
        raise InvalidParameter(f"the picture can't be read: {error}", hint=_HINT) from None
    pixels = np.asarray(upright)
    pixels.flags.writeable = False
    return pixels


def _check(width: int, height: int) -> None:
    if width * height > MOST_PIXELS:
        raise InvalidParameter(f"the picture has {width}x{height} points", hint=_HINT)
    if min(width, height) < LEAST_SIDE:
        raise InvalidParameter(
            f"the picture has {width}x{height} points: nothing can be seen in it", hint="send a larger one"
        )
