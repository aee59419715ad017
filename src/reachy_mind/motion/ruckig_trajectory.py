"""Trajectory generation by the library Ruckig."""

from __future__ import annotations

from collections.abc import Sequence

from ruckig import ControlInterface, InputParameter, OutputParameter, Ruckig, Synchronization, Trajectory

from reachy_mind.motion.limits import PERIOD_S, Limits
from reachy_mind.motion.trajectory import AxesState

AXES = 9


class RuckigTrajectory:
    def __init__(self, moving: Limits, stopping: Limits) -> None:
        self._ruckig = Ruckig(AXES, PERIOD_S)
        self._out = OutputParameter(AXES)
        self._moving = _parameters(moving, ControlInterface.Position)
        self._straight = _parameters(moving, ControlInterface.Position)
        self._straight.synchronization = Synchronization.Phase
        self._braking = _parameters(stopping, ControlInterface.Velocity)
        self._trajectory = Trajectory(AXES)

    def toward(self, state: AxesState, target: Sequence[float]) -> AxesState | None:
        self._moving.target_position = list(target)
        return self._step(self._moving, state)

    def straight(self, state: AxesState, target: Sequence[float]) -> AxesState | None:
        self._straight.target_position = list(target)
        return self._step(self._straight, state)

    def braking(self, state: AxesState) -> AxesState | None:
        return self._step(self._braking, state)

    def stopping_path(self, state: AxesState, shares: Sequence[float]) -> list[list[float]] | None:
        _begin(self._braking, state)
        if self._ruckig.calculate(self._braking, self._trajectory) < 0:
            return None
        end = self._trajectory.duration
        return [self._trajectory.at_time(end * share)[0] for share in shares]

    def _step(self, parameters: InputParameter, state: AxesState) -> AxesState | None:
        _begin(parameters, state)
        if self._ruckig.update(parameters, self._out) < 0:
            return None
        return AxesState(self._out.new_position, self._out.new_velocity, self._out.new_acceleration)


def _begin(parameters: InputParameter, state: AxesState) -> None:
    parameters.current_position, parameters.current_velocity, parameters.current_acceleration = state


def _parameters(limits: Limits, interface: ControlInterface) -> InputParameter:
    parameters = InputParameter(AXES)
    parameters.control_interface = interface
    parameters.synchronization = Synchronization.No
    parameters.max_velocity = list(limits.velocity)
    parameters.max_acceleration = list(limits.acceleration)
    parameters.max_jerk = list(limits.jerk)
    parameters.target_velocity = parameters.target_acceleration = [0.0] * AXES
    return parameters
