"""Frames on the stream between the host and a worker: two lengths, a JSON text, a blob."""

from __future__ import annotations

import struct

HEADER = struct.Struct(">II")
MAX_TEXT = 1_310_720
"""Bytes of JSON in one frame: a result of 1 MB, and some room for the message around it."""
MAX_BLOB = 64 * 1024 * 1024
"""Bytes of blob in one frame: a raw camera picture, or a file."""
MIN_COST = 1024
"""Bytes that a frame counts in a budget, however short it is: reading one costs the host time, too."""


class FrameError(ValueError):
    """The header of a frame has lengths that are not allowed."""


def pack(text: bytes, blob: bytes | bytearray = b"") -> bytes:
    if len(text) > MAX_TEXT or len(blob) > MAX_BLOB:
        raise FrameError(f"a frame of {len(text)} + {len(blob)} bytes is too large")
    return HEADER.pack(len(text), len(blob)) + text + bytes(blob)


def lengths(header: bytes) -> tuple[int, int]:
    """Return the lengths of text and blob that a header announces."""
    text, blob = HEADER.unpack(header)
    if not 2 <= text <= MAX_TEXT or blob > MAX_BLOB:
        raise FrameError(f"a frame announces {text} + {blob} bytes")
    return text, blob


def cost(text: int, blob: int) -> int:
    """Return what a frame of these lengths counts in a budget of bytes."""
    return max(HEADER.size + text + blob, MIN_COST)
