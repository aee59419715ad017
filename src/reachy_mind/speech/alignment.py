"""`offset_of`: aligns a recording with what is played (cross-correlation): the played sample it begins with.

A loudspeaker reports its position only to twenty milliseconds or worse, and differently at every start. The recording
gives it to the sample.
"""

from __future__ import annotations

import numpy as np

from reachy_mind.body.media import SAMPLE_RATE_HZ

LEAST = SAMPLE_RATE_HZ // 8
"""Samples of sound that can be heard before there is anything to compare."""
LOUD = 150
EVENNESS = 0.75
"""Between a plain comparison, which is misled by the pitch of a voice, and one where all pitches count alike (1), which
is by noise. With four voices and much reverberation, 0.5 was wrong in about a quarter of 96 cases, this one in five,
all of them in the shortest sound (0.2 s) and with a peak that was not clear."""
CLEAR = 1.5
"""How much higher than any other the peak of the comparison must be."""
NEAR = SAMPLE_RATE_HZ // 400
"""Samples around the peak that belong to it."""


def offset_of(near: np.ndarray, far: np.ndarray) -> int | None:
    """`near[0]` is `far[offset]`; negative when what is played is heard only later. None while that is not clear."""
    heard, played = near.astype(np.float64), far.astype(np.float64)
    if np.count_nonzero(_loud(heard)) < LEAST or np.count_nonzero(_loud(played)) < LEAST:
        return None
    size = 1 << (len(heard) + len(played) - 1).bit_length()
    spectrum = np.fft.rfft(played, size) * np.conj(np.fft.rfft(heard, size))
    spectrum /= np.abs(spectrum) ** EVENNESS + 1e-3
    match = np.fft.irfft(spectrum, size)
    best = int(match.argmax())
    around = np.arange(best - NEAR, best + NEAR + 1) % size
    peak = match[best]
    match[around] = 0
    if peak < CLEAR * match.max():
        return None
    return best if best < len(played) else best - size


def _loud(sound: np.ndarray) -> np.ndarray:
    """Where something can be heard, by blocks of ten milliseconds."""
    block = SAMPLE_RATE_HZ // 100
    whole = sound[: len(sound) // block * block].reshape(-1, block)
    return np.asarray(np.repeat(np.abs(whole).max(axis=1, initial=0) > LOUD, block))
