"""`Loudness`: loudness envelope of a voice at 100 Hz, from streamed audio in any chunks and at any sample rate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reachy_mind.errors import InvalidParameter
from reachy_mind.motion.limits import RATE_HZ

RATE_RANGE_HZ = (1_000, 384_000)
SILENCE_DB, GATE_DB = -56.0, 6.0
"""Below the first (full scale is 0) it is silence; over the second, loudness fades in."""
RANGE_DB = 28.0
"""At this distance below the voice's peaks loudness is 0."""
MIN_REFERENCE_DB = -42.0
"""A voice with quieter peaks moves the head less; all louder ones move it alike."""
REFERENCE_RISE_DB, REFERENCE_FALL_DB = 2.0, 0.03
"""How fast the reference level follows a voice, per value: up in a tenth of a second, down by 3 dB a second."""

Samples = bytes | bytearray | memoryview | Sequence[float] | NDArray[Any]


class Loudness:
    """Loudness values 0..1, 100 per second of audio.

    Value k is the loudness around k/100 seconds: of the 10 ms hop before and the one after. It is relative to the peaks
    of this voice, so that a quiet voice counts like a loud one. The values do not depend on the chunking.
    """

    def __init__(self, rate: int, channels: int = 1) -> None:
        if not RATE_RANGE_HZ[0] <= rate <= RATE_RANGE_HZ[1]:
            raise InvalidParameter(f"audio at {rate} Hz", hint=f"between {RATE_RANGE_HZ[0]} and {RATE_RANGE_HZ[1]}")
        if channels < 1:
            raise InvalidParameter(f"audio with {channels} channels", hint="at least one")
        self._rate, self._channels = int(rate), int(channels)
        self._reference = MIN_REFERENCE_DB
        self._restart()

    def _restart(self) -> None:
        self._bytes = b""
        self._waiting: NDArray[np.float64] = np.empty(0)
        self._hop = 0
        self._energy = 0.0

    def push(self, samples: Samples) -> list[float]:
        """Add audio and return the new values. Floats in -1..1, int16 or bytes of int16; channels interleaved.

        A 2-D array has a row for each moment and a column for each channel. Raises InvalidParameter.
        """
        self._waiting = np.concatenate((self._waiting, self._floats(samples)))
        first = self._edge(self._hop)
        hops = 0
        while self._edge(self._hop + hops + 1) - first <= len(self._waiting):
            hops += 1
        edges = [self._edge(self._hop + hop) - first for hop in range(hops + 1)]
        values = [self._loudness(self._waiting[a:b]) for a, b in pairwise(edges)]
        self._waiting = self._waiting[edges[-1] :]
        self._hop += hops
        return values

    def flush(self) -> list[float]:
        """The value of the last, incomplete hop, if there is one. The next `push` starts a new sound."""
        left, short = self._waiting, self._edge(self._hop + 1) - self._edge(self._hop) - len(self._waiting)
        values = [self._loudness(np.concatenate((left, np.zeros(short))))] if len(left) else []
        self._restart()
        return values

    def _edge(self, hop: int) -> int:
        """The start of a hop in samples, counted from the beginning, so that no rate drifts."""
        return hop * self._rate // RATE_HZ * self._channels

    def _floats(self, samples: Samples) -> NDArray[np.float64]:
        if isinstance(samples, bytes | bytearray | memoryview):
            whole = self._bytes + bytes(samples)
            even = len(whole) & ~1
            self._bytes = whole[even:]
            samples = np.frombuffer(whole[:even], dtype="<i2")
        array = np.asarray(samples)
        if array.ndim != 1 and (array.ndim != 2 or array.shape[1] != self._channels):
            hint = f"a row for each moment, {self._channels} columns, or channels interleaved in one row"
            raise InvalidParameter(f"audio of shape {array.shape}", hint=hint)
        if array.dtype.kind == "i" and array.dtype.itemsize == 2:
            return array.reshape(-1).astype(np.float64) / 32768.0
        if array.dtype.kind != "f":
            raise InvalidParameter(f"audio as {array.dtype}", hint="floats in -1..1, int16, or bytes of int16")
        flat = array.reshape(-1).astype(np.float64)
        return np.clip(np.where(np.isfinite(flat), flat, 0.0), -1.0, 1.0)

    def _loudness(self, hop: NDArray[np.float64]) -> float:
        energy = float(np.mean(np.square(hop)))
        both, self._energy = (self._energy + energy) / 2, energy
        level = 10 * math.log10(both + 1e-12)
        if level <= SILENCE_DB:
            return 0.0
        change = level - self._reference
        self._reference = max(
            self._reference + min(max(change, -REFERENCE_FALL_DB), REFERENCE_RISE_DB), MIN_REFERENCE_DB
        )
        share = min(max(1 + (level - self._reference) / RANGE_DB, 0.0), 1.0)
        # Squared: about half at 10 dB less, close to perceived loudness.
        return share * share * min((level - SILENCE_DB) / GATE_DB, 1.0)
