"""`Loudness`: how loud a voice is from moment to moment, from its audio as it comes, in any chunks and at any rate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reachy_mind.errors import InvalidParameter
from reachy_mind.motion.limits import RATE_HZ

RATES_HZ = (1_000, 384_000)
FLOOR_DB, GATE_DB = -56.0, 6.0
"""Below the floor (full scale being 0) it is silence; over the next few decibels loudness swells from nothing."""
RANGE_DB = 28.0
"""So far below the loud peaks of a voice its loudness is 0."""
QUIETEST_DB = -42.0
"""A voice whose peaks are quieter than this moves the head less; louder ones all move it alike."""
RISE_DB, FALL_DB = 2.0, 0.03
"""How fast the reference follows a voice, per value: up in a tenth of a second, down by 3 decibels a second."""

Samples = bytes | bytearray | memoryview | Sequence[float] | NDArray[Any]


class Loudness:
    """How loud audio is, 0..1, a hundred times a second of it.

    Value k is the loudness around k/100 seconds: of the hop of 10 ms before and the one after. It is relative to the
    loud peaks of this voice, so that a quiet voice counts like a loud one. The same audio gives the same values in
    whatever chunks it comes.
    """

    def __init__(self, rate: int, channels: int = 1) -> None:
        if not RATES_HZ[0] <= rate <= RATES_HZ[1]:
            raise InvalidParameter(f"audio at {rate} Hz", hint=f"between {RATES_HZ[0]} and {RATES_HZ[1]}")
        if channels < 1:
            raise InvalidParameter(f"audio with {channels} channels", hint="at least one")
        self._rate, self._channels = int(rate), int(channels)
        self._reference = QUIETEST_DB
        self._restart()

    def _restart(self) -> None:
        self._bytes = b""
        self._waiting: NDArray[np.float64] = np.empty(0)
        self._hop = 0
        self._energy = 0.0

    def push(self, samples: Samples) -> list[float]:
        """The values that can be told by now, of floats in -1..1, int16 or bytes of int16; channels interleaved.

        A 2-D array has a row for each moment and a column for each channel. Raises InvalidParameter.
        """
        self._waiting = np.concatenate((self._waiting, self._floats(samples)))
        first = self._edge(self._hop)
        hops = 0
        while self._edge(self._hop + hops + 1) - first <= len(self._waiting):
            hops += 1
        edges = [self._edge(self._hop + hop) - first for hop in range(hops + 1)]
        values = [self._heard(self._waiting[a:b]) for a, b in pairwise(edges)]
        self._waiting = self._waiting[edges[-1] :]
        self._hop += hops
        return values

    def flush(self) -> list[float]:
        """The value of the last, incomplete hop, if there is one. What is pushed next is another sound."""
        left, short = self._waiting, self._edge(self._hop + 1) - self._edge(self._hop) - len(self._waiting)
        values = [self._heard(np.concatenate((left, np.zeros(short))))] if len(left) else []
        self._restart()
        return values

    def _edge(self, hop: int) -> int:
        """Where a hop begins, in samples. Counted from the start, so that no rate drifts."""
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

    def _heard(self, hop: NDArray[np.float64]) -> float:
        energy = float(np.mean(np.square(hop)))
        both, self._energy = (self._energy + energy) / 2, energy
        level = 10 * math.log10(both + 1e-12)
        if level <= FLOOR_DB:
            return 0.0
        change = level - self._reference
        self._reference = max(self._reference + min(max(change, -FALL_DB), RISE_DB), QUIETEST_DB)
        share = min(max(1 + (level - self._reference) / RANGE_DB, 0.0), 1.0)
        # Squared, about half is left at 10 decibels less, as ears have it.
        return share * share * min((level - FLOOR_DB) / GATE_DB, 1.0)
