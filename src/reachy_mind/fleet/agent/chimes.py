"""Sounds that the device makes by itself, as 16 kHz samples: short tones that people learn, and the alarm."""

from __future__ import annotations

from functools import cache
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from reachy_mind.body.media import SAMPLE_RATE_HZ

Chime = Literal["pressed", "ready", "listening", "ended", "error", "alarm", "acknowledged"]
_Tone = tuple[float, float, float]
"""Frequency (0: a pause), seconds, loudness."""
TONES: Final[dict[Chime, tuple[_Tone, ...]]] = {
    "pressed": ((1320.0, 0.05, 0.4),),
    "ready": ((523.25, 0.12, 0.4), (659.25, 0.12, 0.4), (783.99, 0.22, 0.4)),
    "listening": ((659.25, 0.09, 0.4), (987.77, 0.14, 0.4)),
    "ended": ((987.77, 0.09, 0.4), (659.25, 0.14, 0.4)),
    "error": ((220.0, 0.18, 0.5), (0.0, 0.08, 0.0), (196.0, 0.3, 0.5)),
    "alarm": ((880.0, 0.22, 0.9), (660.0, 0.22, 0.9)) * 3,
    "acknowledged": ((523.25, 0.15, 0.6), (783.99, 0.15, 0.6), (1046.5, 0.35, 0.6)),
}
EDGE_S: Final = 0.006
"""Each tone swells and fades so long: otherwise it clicks."""


@cache
def chime(name: Chime) -> bytes:
    """The samples of a chime. Its first sample that is not silent is within a millisecond of its beginning."""
    return b"".join(_tone(*tone) for tone in TONES[name])


def _tone(frequency: float, seconds: float, loudness: float) -> bytes:
    t: NDArray[np.float64] = np.arange(round(seconds * SAMPLE_RATE_HZ)) / SAMPLE_RATE_HZ
    wave = np.sin(2 * np.pi * frequency * t) + 0.3 * np.sin(4 * np.pi * frequency * t)
    envelope = np.minimum(1.0, np.minimum(t + 1 / SAMPLE_RATE_HZ, seconds - t) / EDGE_S)
    return (wave / 1.3 * envelope * loudness * 32000).astype("<i2").tobytes()
