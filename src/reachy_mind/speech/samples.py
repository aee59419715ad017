"""Sound as this room passes it around: 16 kHz, 16-bit little-endian, one channel, as plain bytes."""

from __future__ import annotations

import io
import wave
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

RATE = 16_000
WIDTH = 2
"""Bytes of a sample."""
SILENT = 100
"""The highest sample that nobody hears."""


def seconds(pcm: bytes) -> float:
    return len(pcm) / (RATE * WIDTH)


def to_floats(pcm: bytes) -> np.ndarray:
    """Samples between -1 and 1, as models want them."""
    import numpy as np  # noqa: PLC0415 -- kept out of `reachy-mind --help`

    return np.frombuffer(pcm, "<i2").astype(np.float32) / 32768.0


def to_pcm(floats: np.ndarray, rate: int = RATE) -> bytes:
    """Samples at any rate as sound of this room; what is too loud is clipped."""
    import numpy as np  # noqa: PLC0415
    import soxr  # noqa: PLC0415 -- an extra

    if rate != RATE and len(floats):
        floats = soxr.resample(floats, rate, RATE)
    return np.clip(np.rint(floats * 32767.0), -32768, 32767).astype("<i2").tobytes()


def without_lead(pcm: bytes) -> bytes:
    """From ten milliseconds before the first sample that can be heard; all of it when none can."""
    import numpy as np  # noqa: PLC0415

    loud = np.flatnonzero(np.abs(np.frombuffer(pcm, "<i2").astype(np.int32)) > SILENT)
    return pcm[max(0, int(loud[0]) - RATE // 100) * WIDTH :] if len(loud) else pcm


def from_wav(data: bytes) -> bytes:
    """The sound in a 16-bit WAV file of one channel; nothing when the file is empty."""
    import numpy as np  # noqa: PLC0415

    if not data:
        return b""
    with wave.open(io.BytesIO(data)) as file:
        rate, frames = file.getframerate(), file.readframes(file.getnframes())
    return to_pcm(np.frombuffer(frames, "<i2").astype(np.float32) / 32767.0, rate)
