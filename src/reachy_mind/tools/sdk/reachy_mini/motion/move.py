"""`Move`: base class of a move of your own."""

from __future__ import annotations

import abc
from typing import Any


class Move(abc.ABC):
    """A move has a `duration` and `evaluate(t) -> (head 4x4, antennas, body yaw)`; each may be None: it stays."""

    sound_path: Any = None
    """A sound that belongs to it; none is played for a move of your own."""

    @property
    @abc.abstractmethod
    def duration(self) -> float:
        """Seconds."""

    @abc.abstractmethod
    def evaluate(self, t: float) -> tuple[Any, Any, Any]:
        """The pose at `t` seconds."""
