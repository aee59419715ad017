"""Runs a module on a machine of its own as to its monotonic clock, which is shifted and goes faster or slower.

    python -m reachy_mind.bench.shifted_clock OFFSET_S PPM MODULE ARGUMENTS...

`real_time` turns a time of such a clock into that of this machine's, which all processes share.
"""

from __future__ import annotations

import runpy
import sys
import time


class ShiftedClock:
    """Stands in for `time.monotonic`."""

    def __init__(self, offset_s: float, ppm: float) -> None:
        self._offset_s, self._rate = offset_s, 1 + ppm * 1e-6
        self._real = time.monotonic

    def __call__(self) -> float:
        return self._real() * self._rate + self._offset_s


def real_time(shifted: float, offset_s: float, ppm: float) -> float:
    """When the shifted clock showed `shifted`, by this machine's monotonic clock."""
    return (shifted - offset_s) / (1 + ppm * 1e-6)


if __name__ == "__main__":
    time.monotonic = ShiftedClock(float(sys.argv[1]), float(sys.argv[2]))
    module = sys.argv[3]
    sys.argv = sys.argv[3:]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
