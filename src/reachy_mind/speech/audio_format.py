"""Sound as this room passes it around: 16 kHz, 16-bit little-endian, one channel, as plain bytes."""

from __future__ import annotations

import numpy as np

from reachy_mind.body import wav
from reachy_mind.speech.moods import Mood

RATE = wav.RATE_HZ
WIDTH = wav.SAMPLE_BYTES
"""Bytes of a sample."""
LOUDEST = 0.97
"""Up to which a sound is amplified."""
SILENT = 100
"""The highest sample that nobody hears."""


def seconds(pcm: bytes) -> float:
    return len(pcm) / (RATE * WIDTH)


def to_floats(pcm: bytes) -> np.ndarray:
    """Samples between -1 and 1, as models want them."""
    return wav.from_pcm(pcm)


def to_pcm(floats: np.ndarray, rate: int = RATE) -> bytes:
    """Samples at any rate as sound of this room; what is too loud is clipped."""
    if rate != RATE and len(floats):
        import soxr  # noqa: PLC0415 -- most voices speak at our rate

        floats = soxr.resample(floats, rate, RATE)
    return wav.to_pcm(floats)


def coloured(floats: np.ndarray, rate: int, mood: Mood) -> bytes:
    """What an engine said at `mood.engine_speed`, in the mood's pitch and loudness; it is never made loud enough to be
    clipped."""
    loudest = float(np.abs(floats).max(initial=0.0))
    gain = min(mood.gain, max(1.0, LOUDEST / loudest)) if loudest > 0 and mood.gain > 1 else mood.gain
    return to_pcm(gain * floats if gain != 1 else floats, round(rate * mood.pitch))


def without_lead(pcm: bytes) -> bytes:
    """From ten milliseconds before the first sample that can be heard; all of it when none can."""
    loud = np.flatnonzero(np.abs(np.frombuffer(pcm, "<i2").astype(np.int32)) > SILENT)
    return pcm[max(0, int(loud[0]) - RATE // 100) * WIDTH :] if len(loud) else pcm
