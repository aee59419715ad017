"""`Picture`: decoded pixels of a camera frame or an upload.

An upload is decoded only after its format and size are checked from its header, so a huge or broken file costs no more
than an error.
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

MAX_BYTES = 16 << 20
MAX_PIXELS = 24_000_000
"""More than any supported camera has; 100 megapixels would take 300 MB."""
MIN_SIDE = 8
"""Nothing can be recognised in less."""
FORMATS = ("JPEG", "PNG", "WEBP")
_HINT = f"send a JPEG, PNG or WebP of at most {MAX_PIXELS // 1_000_000} megapixels and {MAX_BYTES >> 20} MB"

Pixels = NDArray[np.uint8]
"""Rows of red, green, blue."""


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """`pixels` is read-only: copy it to draw on it. `taken_at` is in monotonic seconds.

    `digest` identifies the camera file the picture was decoded from; the simulator recognises its own frames by it.
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
    """Decode a camera frame. Raises HardwareError when it is not a picture."""
    try:
        return Picture(_read(data), taken_at, frame_digest(data))
    except InvalidParameter as error:
        raise HardwareError(f"the camera's picture: {error.message}", hint="look again") from error


def from_upload(data: bytes, taken_at: float) -> Picture:
    """Decode an uploaded file. Raises InvalidParameter with what is wrong."""
    return Picture(_read(data), taken_at)


def from_base64(text: str, taken_at: float) -> Picture:
    """Decode an upload given as base64 or a data: URL. Raises InvalidParameter."""
    encoded = text.partition(",")[2] if text.startswith("data:") else text
    if len(encoded) > MAX_BYTES * 4 // 3 + 4:
        raise InvalidParameter(f"the picture has more than {MAX_BYTES >> 20} MB", hint=_HINT)
    try:
        data = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvalidParameter(f"the picture is not base64: {error}", hint=_HINT) from None
    return from_upload(data, taken_at)


def encode(pixels: Pixels, kind: Literal["JPEG", "PNG"] = "JPEG") -> bytes:
    """The pixels as a file of that format."""
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, kind, quality=90)
    return file.getvalue()


def downscaled(pixels: Pixels, longest: int) -> Pixels:
    """The picture scaled down to at most `longest` pixels a side. Takes milliseconds: call it in a thread."""
    height, width = pixels.shape[:2]
    share = longest / max(height, width)
    if share >= 1:
        return pixels
    size = max(1, round(width * share)), max(1, round(height * share))
    return np.asarray(Image.fromarray(pixels).resize(size, Image.Resampling.BILINEAR, reducing_gap=2.0))


def _read(data: bytes) -> Pixels:
    if not data:
        raise InvalidParameter("the picture is empty", hint=_HINT)
    if len(data) > MAX_BYTES:
        raise InvalidParameter(f"the picture has more than {MAX_BYTES >> 20} MB", hint=_HINT)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow warns about large pictures; our limit is stricter
            image = Image.open(io.BytesIO(data), formats=FORMATS)
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
    if width * height > MAX_PIXELS:
        raise InvalidParameter(f"the picture has {width}x{height} points", hint=_HINT)
    if min(width, height) < MIN_SIDE:
        raise InvalidParameter(
            f"the picture has {width}x{height} points: nothing can be seen in it", hint="send a larger one"
        )
