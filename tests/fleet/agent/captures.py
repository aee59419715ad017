"""What a sound card without hardware has played: its capture, read back."""

from __future__ import annotations

import json
import wave
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

RATE = 16000


@dataclass(frozen=True)
class Capture:
    """`began`: when the first sample left, by time.monotonic."""

    began: float
    samples: NDArray[np.int16]

    def time_of(self, sample: int) -> float:
        return self.began + sample / RATE

    def first_loud(self, after: float = 0.0, level: int = 300) -> float | None:
        """When the first sample that can be heard left, from a time on."""
        start = max(0, round((after - self.began) * RATE)) if after else 0
        loud = np.flatnonzero(np.abs(self.samples[start:].astype(np.int32)) > level)
        return self.time_of(start + int(loud[0])) if len(loud) else None

    def between(self, begin: float, end: float) -> NDArray[np.int16]:
        first, last = (round((at - self.began) * RATE) for at in (begin, end))
        return self.samples[max(0, first) : last]


def read_capture(file: Path) -> Capture:
    about = json.loads(file.with_name(file.name + ".json").read_text())
    assert about["rate"] == RATE
    with wave.open(str(file)) as opened:
        assert (opened.getnchannels(), opened.getsampwidth(), opened.getframerate()) == (1, 2, RATE)
        data = opened.readframes(opened.getnframes())
    return Capture(about["began_monotonic"], np.frombuffer(data, "<i2"))
