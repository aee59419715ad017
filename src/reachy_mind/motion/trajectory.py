"""Online trajectory generation: the next state of nine axes on their way to a target, within velocity, acceleration
and jerk.

`generator()` is Ruckig's where there is a wheel of it, else the portable one (`jerk_limited`): Ruckig has none for
Linux on ARM and for macOS on Intel.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from reachy_mind.motion.limits import Limits
from reachy_mind.system.portability import portable


class AxesState(NamedTuple):
    """Of each axis."""

    position: list[float]
    velocity: list[float]
    acceleration: list[float]


class TrajectoryGenerator(Protocol):
    """Every call starts from the state that it is given. None: it can't make a step from there."""

    def toward(self, state: AxesState, target: Sequence[float]) -> AxesState | None:
        """One tick towards a target at rest, each axis as fast as it can."""
        ...

    def straight(self, state: AxesState, target: Sequence[float]) -> AxesState | None:
        """The same in a straight line, if it starts from rest: all axes arrive together."""
        ...

    def braking(self, state: AxesState) -> AxesState | None:
        """One tick of braking as hard as allowed."""
        ...

    def stopping_path(self, state: AxesState, shares: Sequence[float]) -> list[list[float]] | None:
        """Where the axes are after these shares of the time that braking takes."""
        ...


def generator(moving: Limits, stopping: Limits) -> TrajectoryGenerator:
    if not portable() and importlib.util.find_spec("ruckig") is not None:
        from reachy_mind.motion.ruckig_trajectory import RuckigTrajectory  # noqa: PLC0415 -- not on every platform

        return RuckigTrajectory(moving, stopping)
    from reachy_mind.motion.jerk_limited_trajectory import JerkLimitedTrajectory  # noqa: PLC0415

    return JerkLimitedTrajectory(moving, stopping)
