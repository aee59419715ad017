"""Runs a module while its clock jumps: `time.time` is moved by as many seconds as a file says, whenever that changes.

    python -m reachy_mind.bench.jumping_clock FILE MODULE ARGUMENTS...

The monotonic clock stays as it is, as it does when somebody sets a machine's clock.
"""

from __future__ import annotations

import runpy
import sys
import time
from pathlib import Path
from typing import Final

LOOK_S: Final = 0.1


class JumpingClock:
    """Stands in for `time.time`."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._real = time.time
        self._looked_at = 0.0
        self._offset_s = 0.0

    def __call__(self) -> float:
        now = time.monotonic()
        if now - self._looked_at > LOOK_S:
            self._looked_at, self._offset_s = now, float(self._file.read_text() or 0)
        return self._real() + self._offset_s


if __name__ == "__main__":
    time.time = JumpingClock(Path(sys.argv[1]))
    module = sys.argv[2]
    sys.argv = sys.argv[2:]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
