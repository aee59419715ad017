"""`TensorBoardCurve`: the learning curve as TensorBoard reads it (`tensorboard --logdir`), where it is installed."""

from __future__ import annotations

import contextlib
from dataclasses import asdict
from pathlib import Path
from typing import Any

from reachy_mind.learning.training.curve import CurvePoint


class TensorBoardCurve:
    """Writes one event file per process. A resumed run replaces what came after its checkpoint."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._writer: Any = None

    def add(self, point: CurvePoint) -> None:
        """A point with the figures success, reward, violations and time over episodes."""
        if self._writer is None:
            with contextlib.suppress(ImportError):
                from torch.utils.tensorboard import SummaryWriter  # noqa: PLC0415 -- slow to load

                self._writer = SummaryWriter(str(self._folder), purge_step=point.episode)
        if self._writer is None:
            return
        for name, value in asdict(point).items():
            if name != "episode":
                self._writer.add_scalar(f"evaluation/{name}", value, point.episode)
        self._writer.flush()

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None
