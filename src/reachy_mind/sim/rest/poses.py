"""The head pose in REST: six numbers, or a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, FiniteFloat

from reachy_mind.body import protocol
from reachy_mind.body.pose import Pose

SIX = ("x", "y", "z", "roll", "pitch", "yaw")


class HeadAngles(BaseModel):
    model_config = ConfigDict(extra="forbid")

    x: FiniteFloat = 0.0
    y: FiniteFloat = 0.0
    z: FiniteFloat = 0.0
    roll: FiniteFloat = 0.0
    pitch: FiniteFloat = 0.0
    yaw: FiniteFloat = 0.0

    def matrix(self) -> list[float]:
        return list(Pose(**self.model_dump()).head_matrix())


class HeadMatrix(BaseModel):
    m: protocol.Head

    def matrix(self) -> list[float]:
        return self.m


AnyHead = HeadMatrix | HeadAngles


def head_pose(matrix: Sequence[float], *, as_matrix: bool) -> dict[str, Any]:
    """A measured head pose in the requested form."""
    if as_matrix:
        return {"m": list(matrix)}
    pose = Pose.from_head_matrix(matrix)
    return {name: getattr(pose, name) for name in SIX}
