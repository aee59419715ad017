"""`KeywordFeatures`: log mel energies of a stream of sound, for the keyword network. The training computes the same."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

RATE_HZ = 16000
HOP = RATE_HZ // 100
WINDOW = RATE_HZ * 25 // 1000
FFT_SIZE = 512
BANDS = 40
LOWEST_HZ, HIGHEST_HZ = 60.0, 7600.0
FLOOR = 1e-4
"""Added to every band: about 60 dB below full scale. Below that is what the echo canceller leaves of silence."""
CENTRE, SCALE = -3.0, 4.0
"""Bring the logarithms near the range of -1 to 1."""

Floats = NDArray[np.float32]


@cache
def window() -> Floats:
    """The Hann window of a frame."""
    return np.hanning(WINDOW + 1)[:-1].astype(np.float32)


@cache
def filterbank() -> Floats:
    """Triangles of equal width on the mel scale: frequencies of the spectrum by bands."""
    edges = _hertz(np.linspace(_mel(LOWEST_HZ), _mel(HIGHEST_HZ), BANDS + 2))
    frequencies = np.arange(FFT_SIZE // 2 + 1)[:, None] * RATE_HZ / FFT_SIZE
    rising = (frequencies - edges[:-2]) / (edges[1:-1] - edges[:-2])
    falling = (edges[2:] - frequencies) / (edges[2:] - edges[1:-1])
    return np.maximum(0.0, np.minimum(rising, falling)).astype(np.float32)


def _mel(hertz: float) -> float:
    return float(2595 * np.log10(1 + hertz / 700))


def _hertz(mel: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(700 * (10 ** (mel / 2595) - 1))


def energies(sound: Floats) -> Floats:
    """The energy of each band for each whole frame of a sound (-1 to 1): frames by bands."""
    count = 1 + (len(sound) - WINDOW) // HOP
    if count < 1:
        return np.zeros((0, BANDS), np.float32)
    frames = np.lib.stride_tricks.sliding_window_view(sound, WINDOW)[::HOP][:count]
    spectrum = np.fft.rfft(frames * window(), FFT_SIZE)
    power = (spectrum.real**2 + spectrum.imag**2).astype(np.float32)
    return np.asarray(power @ filterbank(), np.float32)


def normalised(energy: Floats) -> Floats:
    """What the network is given."""
    return np.asarray((np.log(energy + FLOOR) - CENTRE) / SCALE, np.float32)


class KeywordFeatures:
    """Of one stream. It begins as silence."""

    def __init__(self) -> None:
        self._rest = np.zeros(WINDOW - HOP, np.float32)

    def feed(self, pcm: bytes) -> Floats:
        """The frames that are complete with this sound: one for every 10 ms of it."""
        sound = np.frombuffer(pcm, "<i2").astype(np.float32) / 32768
        sound = np.concatenate([self._rest, sound])
        found = energies(sound)
        self._rest = sound[len(found) * HOP :]
        return normalised(found)
