"""`RecordedMoves`: the moves that the robot knows: recorded ones, emotions and dances."""

from __future__ import annotations

from typing import Any

from ..transport import default
from .move import Move


class RecordedMove(Move):
    """A move of the robot's repertoire; the host plays it by its name."""

    def __init__(self, name: str, full_name: str, description: str, duration: float) -> None:
        self.name, self.full_name, self.description = name, full_name, description
        self._duration = duration

    @property
    def duration(self) -> float:
        return self._duration

    def evaluate(self, t: float) -> tuple[Any, Any, Any]:  # noqa: ARG002
        """Raises RuntimeError: its poses stay with the host. Use `play_move`."""
        raise RuntimeError(f"the poses of {self.name} stay with the robot: play it with play_move")


class RecordedMoves:
    """The moves of a dataset, such as `pollen-robotics/reachy-mini-emotions-library`; without it, our own."""

    def __init__(self, hf_dataset_name: str) -> None:
        self.hf_dataset_name = hf_dataset_name

    def list_moves(self) -> list[str]:
        """Their names."""
        return list(default().call("robot.list_moves", {"dataset": self.hf_dataset_name}))

    def get(self, move_name: str) -> RecordedMove:
        """The move of this name. Raises ValueError for an unknown one."""
        found = default().call("robot.find_move", {"dataset": self.hf_dataset_name, "name": move_name})
        return RecordedMove(move_name, found["name"], found["description"], found["duration"])
