"""`Convolver`: applies a long FIR filter to a stream of blocks by FFT.

Uniformly partitioned overlap-save: one transform in and one out per block, however long the filter is. The filter can
be changed while it runs; the change is cross-faded over one block, so that a moving source does not click.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reachy_mind.body.wav import RATE_HZ, Samples

BLOCK = RATE_HZ // 50
"""Twenty milliseconds: one period of the simulator's clock."""

_FADE = np.linspace(0, 1, BLOCK, dtype=np.float32)
Spectra = NDArray[np.complex64]


class Convolver:
    """Filters blocks of `BLOCK` samples with `taps`, without delay of its own."""

    def __init__(self, taps: Samples) -> None:
        self._filter = _partitions(taps)
        self._fading: Spectra | None = None
        self._last = np.zeros(BLOCK, dtype=np.float32)
        self._past = np.zeros_like(self._filter)
        self._newest = 0

    def __len__(self) -> int:
        """Number of blocks until the tail of an input has decayed."""
        return len(self._filter) + 1

    def retune(self, taps: Samples) -> None:
        """Filter with other taps from the next block on."""
        fresh = _partitions(taps)
        past = np.roll(self._past, -self._newest, axis=0)
        length = max(len(fresh), len(past))
        self._past, self._newest = _lengthened(past, length), 0
        self._fading, self._filter = _lengthened(self._filter, length), _lengthened(fresh, length)

    def __call__(self, block: Samples) -> Samples:
        self._newest = (self._newest - 1) % len(self._past)
        self._past[self._newest] = np.fft.rfft(np.concatenate((self._last, block)))
        self._last = block
        out = self._filtered(self._filter)
        if self._fading is not None:
            before = self._filtered(self._fading)
            self._fading = None
            out = before + (out - before) * _FADE
        return out

    def _filtered(self, taps: Spectra) -> Samples:
        split = len(taps) - self._newest
        total = np.einsum("ij,ij->j", self._past[self._newest :], taps[:split])
        total += np.einsum("ij,ij->j", self._past[: self._newest], taps[split:])
        return np.fft.irfft(total)[BLOCK:].astype(np.float32)


def _partitions(taps: Samples) -> Spectra:
    count = -(-len(taps) // BLOCK)
    padded = np.zeros((count, 2 * BLOCK), dtype=np.float32)
    for row in range(count):
        part = taps[row * BLOCK : (row + 1) * BLOCK]
        padded[row, : len(part)] = part
    return np.fft.rfft(padded, axis=1).astype(np.complex64)


def _lengthened(spectra: Spectra, length: int) -> Spectra:
    return np.concatenate((spectra, np.zeros((length - len(spectra), spectra.shape[1]), dtype=np.complex64)))
