"""`Shaper`: trajectory generation with Ruckig: from targets to commands within reach, velocity, acceleration and jerk.

Each tick takes one target and returns one command. The target is clamped to its range; Ruckig then moves the nine axes
towards it within the limits. Each axis stays in its range by construction, since Ruckig can always stop before its end.
The reach of the rods is not a range per axis: near that edge a step is taken only if the robot could still stop within
reach, otherwise it brakes. If it then stands at the edge, tilt and shift of the target shrink until there is a way. If
there is none, because the axes do not arrive together, the robot first retreats from the edge in a straight line.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ruckig import ControlInterface, InputParameter, OutputParameter, Ruckig, Synchronization, Trajectory

from reachy_mind.body.kinematics import Kinematics
from reachy_mind.body.pose import PoseTuple
from reachy_mind.motion.limits import BODY_YAW, HIGH, LOW, MOVING, PERIOD_S, STOPPING, YAW, Limits

RESERVED_MARGIN = 0.04
"""Radians of joint range kept free: between the checked poses a path may bulge a little."""
STOP_MARGIN, STOP_MARGIN_PER_SPEED = 0.35, 0.1
"""Joint range that stopping can need, at rest and per radian a second (a metre counts as 15): about twice the maximum
measured on random states. A step with more margin needs no further check."""
SHRINK = 0.95
STUCK_SHARE, RETREAT_SHARE = 0.75, 0.85
"""Below this shrink factor the target counts as blocked; a retreat keeps this share of tilt and shift."""
STILL_SPEED = 1e-4
CLAMP_TOLERANCE = 1e-4
NO_AXES: frozenset[int] = frozenset()


def relative(pose: Sequence[float]) -> list[float]:
    """The pose with the head's yaw relative to the body."""
    shaped = list(pose)
    shaped[YAW] -= shaped[BODY_YAW]
    return shaped


def absolute(shaped: Sequence[float]) -> PoseTuple:
    x, y, z, roll, pitch, turn, body, left, right = shaped
    return x, y, z, roll, pitch, turn + body, body, left, right


class Shaper:
    """State of the command: position, velocity and acceleration of the nine axes."""

    def __init__(self, kinematics: Kinematics, start: PoseTuple) -> None:
        self._kinematics = kinematics
        self._ruckig = Ruckig(9, PERIOD_S)
        self._out = OutputParameter(9)
        self._moving = self._parameters(MOVING, ControlInterface.Position)
        self._retreating = self._parameters(MOVING, ControlInterface.Position)
        self._retreating.synchronization = Synchronization.Phase  # in a straight line, if it starts from rest
        self._braking = self._parameters(STOPPING, ControlInterface.Velocity)
        self._trajectory = Trajectory(9)
        self._shrink = 1.0
        self._in_retreat = False
        self._last_target: PoseTuple = start
        self.clamped: frozenset[int] = frozenset()
        self.restart(start)

    @staticmethod
    def _parameters(limits: Limits, interface: ControlInterface) -> InputParameter:
        parameters = InputParameter(9)
        parameters.control_interface = interface
        parameters.synchronization = Synchronization.No
        parameters.max_velocity = list(limits.velocity)
        parameters.max_acceleration = list(limits.acceleration)
        parameters.max_jerk = list(limits.jerk)
        parameters.target_velocity = parameters.target_acceleration = [0.0] * 9
        return parameters

    def restart(self, at: PoseTuple) -> None:
        """Reset: the robot stands still at this pose."""
        bounded = [min(max(value, low), high) for value, low, high in zip(relative(at), LOW, HIGH, strict=True)]
        self._position, self._velocity, self._acceleration = bounded, [0.0] * 9, [0.0] * 9
        self._shrink, self._in_retreat = 1.0, False

    @property
    def command(self) -> PoseTuple:
        return absolute(self._position)

    @property
    def still(self) -> bool:
        return max(map(abs, self._velocity)) < STILL_SPEED

    @property
    def velocity(self) -> PoseTuple:
        return absolute(self._velocity)

    def next(self, target: PoseTuple) -> PoseTuple:
        """The command of the next tick towards `target`; a target that is not finite is ignored for the last one."""
        if all(map(math.isfinite, target)):
            self._last_target = target
        wanted = self._reachable_target(self._last_target)
        self._moving.target_position = wanted
        step = self._step(self._retreating if self._in_retreat else self._moving)
        if step is not None and self._safe(step):
            self._apply(step)
            self._shrink = min(1.0, self._shrink / SHRINK)
            self._in_retreat = self._in_retreat and self._shrink < 1.0
        else:
            self._apply(self._step(self._braking))
            if self.still:
                self._unstick()
        return self.command

    def _unstick(self) -> None:
        """Shrink the target, or retreat: the robot stands, and its next step would leave the reach."""
        self._shrink *= SHRINK
        if self._shrink < STUCK_SHARE and not self._in_retreat:
            self._in_retreat = True
            tilt_and_shift, rest = self._position[:5], self._position[5:]
            self._retreating.target_position = [value * RETREAT_SHARE for value in tilt_and_shift] + rest

    def brake(self) -> PoseTuple:
        """The command of the next tick while braking as hard as allowed."""
        self._apply(self._step(self._braking))
        return self.command

    def _reachable_target(self, target: PoseTuple) -> list[float]:
        """Clamp each axis, then shrink tilt and shift until the rods reach."""
        wanted = relative(target)
        given: list[int] = []
        for index, value in enumerate(wanted):
            if not LOW[index] <= value <= HIGH[index]:
                wanted[index] = LOW[index] if value < LOW[index] else HIGH[index]
                given.append(index)
        if self._shrink < 1.0 or self._margin(wanted) < 0:
            share = self._reaching_share(wanted, self._shrink)
            given += [index for index in range(5) if abs(wanted[index]) * (1 - share) > CLAMP_TOLERANCE]
            wanted[:5] = [value * share for value in wanted[:5]]
        self.clamped = frozenset(given) if given else NO_AXES
        return wanted

    def _reaching_share(self, wanted: list[float], most: float) -> float:
        """The share of tilt and shift, up to `most`, that the rods reach."""
        low, high = 0.0, most
        if self._margin([value * most for value in wanted[:5]] + wanted[5:]) >= 0:
            return most
        for _ in range(12):
            share = (low + high) / 2
            trial = [value * share for value in wanted[:5]] + wanted[5:]
            low, high = (share, high) if self._margin(trial) >= 0 else (low, share)
        return low

    def _margin(self, shaped: Sequence[float]) -> float:
        """The joint range that is left in this pose, less what we keep; negative out of reach."""
        return self._kinematics.joint_margin(absolute(shaped)) - RESERVED_MARGIN

    def _step(self, parameters: InputParameter) -> tuple[list[float], list[float], list[float]] | None:
        parameters.current_position = self._position
        parameters.current_velocity = self._velocity
        parameters.current_acceleration = self._acceleration
        if self._ruckig.update(parameters, self._out) < 0:
            return None
        return self._out.new_position, self._out.new_velocity, self._out.new_acceleration

    def _safe(self, step: tuple[list[float], list[float], list[float]]) -> bool:
        """Whether the robot could still stop within reach after this step; from outside, whether it leads back in."""
        margin = self._margin(step[0])
        if margin < 0:
            return margin > self._margin(self._position)
        vx, vy, vz, roll, pitch, turn, body = map(abs, step[1][:7])
        if margin >= STOP_MARGIN + STOP_MARGIN_PER_SPEED * (15 * (vx + vy + vz) + roll + pitch + turn + body):
            return True
        braking = self._braking
        braking.current_position, braking.current_velocity, braking.current_acceleration = step
        if self._ruckig.calculate(braking, self._trajectory) < 0:
            return False
        end = self._trajectory.duration
        return all(self._margin(self._trajectory.at_time(end * share)[0]) >= 0 for share in (1.0, 0.5, 0.75, 0.25))

    def _apply(self, step: tuple[list[float], list[float], list[float]] | None) -> None:
        if step is None:  # Ruckig refuses only states it did not create itself
            self._velocity, self._acceleration = [0.0] * 9, [0.0] * 9
            return
        self._position, self._velocity, self._acceleration = step
