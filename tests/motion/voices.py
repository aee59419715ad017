"""Voices made of arithmetic: vowels where a test wants them, at any rate."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

VOWEL_S = 0.16


def voice(
    rate: int, stresses: Sequence[float], duration: float, *, volume: float = 0.3, pitch_hz: float = 150.0
) -> NDArray[np.float64]:
    """A voice with a vowel around each of `stresses`, in seconds, and silence elsewhere."""
    t = np.arange(round(rate * duration)) / rate
    tone = sum(np.sin(2 * np.pi * pitch_hz * harmonic * t) / harmonic for harmonic in range(1, 8))
    swell = np.zeros_like(t)
    for stress in stresses:
        near = np.abs(t - stress) < VOWEL_S / 2
        swell[near] += np.cos((t[near] - stress) / VOWEL_S * np.pi) ** 2
    return np.asarray(volume * tone * swell / 2)


def pcm(samples: NDArray[np.float64]) -> bytes:
    return (np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes()
