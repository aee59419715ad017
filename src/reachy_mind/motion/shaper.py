"""`Shaper`: from targets to commands within reach, velocity, acceleration and jerk.

Each tick takes one target and returns one command. The target is clamped to its range; trajectory generation then
moves the nine axes towards it within the limits. Each axis stays in its range by construction, since it can always stop
before its end.
The reach of the rods is not a range per axis: near that edge a step is taken only if the robot could still stop within
reach, otherwise it brakes. If it then stands at the edge, tilt and shift of the target shrink until there is a way. If
there is none, because the axes do not arrive together, the robot first retreats from the edge in a straight line.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from reachy_mind.body.kinematics import Kinematics
from reachy_mind.body.pose import PoseTuple
from reachy_mind.motion.limits import BODY_YAW, HIGH, LOW, MOVING, STOPPING, YAW
from reachy_mind.motion.trajectory import AxesState, TrajectoryGenerator, generator

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

    def __init__(self, kinematics: Kinematics, start: PoseTuple, trajectory: TrajectoryGenerator | None = None) -> None:
        self._kinematics = kinematics
        self._trajectory = trajectory or generator(MOVING, STOPPING)
        self._shrink = 1.0
        self._retreat: list[float] | None = None
        """Where to retreat to from the edge."""
        self._last_target: PoseTuple = start
        self.clamped: frozenset[int] = frozenset()
        self.restart(start)

    def restart(self, at: PoseTuple) -> None:
        """Reset: the robot stands still at this pose."""
        bounded = [min(max(value, low), high) for value, low, high in zip(relative(at), LOW, HIGH, strict=True)]
        self._state = AxesState(bounded, [0.0] * 9, [0.0] * 9)
        self._shrink, self._retreat = 1.0, None

    @property
    def command(self) -> PoseTuple:
        return absolute(self._state.position)

    @property
    def still(self) -> bool:
        return max(map(abs, self._state.velocity)) < STILL_SPEED

    @property
    def velocity(self) -> PoseTuple:
        return absolute(self._state.velocity)

    def next(self, target: PoseTuple) -> PoseTuple:
        """The command of the next tick towards `target`; a target that is not finite is ignored for the last one."""
        if all(map(math.isfinite, target)):
            self._last_target = target
        wanted = self._reachable_target(self._last_target)
        if self._retreat is None:
            step = self._trajectory.toward(self._state, wanted)
        else:
            step = self._trajectory.straight(self._state, self._retreat)
        if step is not None and self._safe(step):
            self._state = step
            self._shrink = min(1.0, self._shrink / SHRINK)
            if self._shrink == 1.0:
                self._retreat = None
            return self.command
        self.brake()
        if self.still:
            self._unstick()
        return self.command

    def _unstick(self) -> None:
        """Shrink the target, or retreat: the robot stands, and its next step would leave the reach."""
        self._shrink *= SHRINK
        if self._shrink < STUCK_SHARE and self._retreat is None:
            tilt_and_shift, rest = self._state.position[:5], self._state.position[5:]
            self._retreat = [value * RETREAT_SHARE for value in tilt_and_shift] + rest

    def brake(self) -> PoseTuple:
        """The command of the next tick while braking as hard as allowed."""
        step = self._trajectory.braking(self._state)  # none only from a state that it did not make itself
        self._state = step or self._state._replace(velocity=[0.0] * 9, acceleration=[0.0] * 9)
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

    def _safe(self, step: AxesState) -> bool:
        """Whether the robot could still stop within reach after this step; from outside, whether it leads back in."""
        margin = self._margin(step.position)
        if margin < 0:
            return margin > self._margin(self._state.position)
        vx, vy, vz, roll, pitch, turn, body = map(abs, step.velocity[:7])
        if margin >= STOP_MARGIN + STOP_MARGIN_PER_SPEED * (15 * (vx + vy + vz) + roll + pitch + turn + body):
            return True
        path = self._trajectory.stopping_path(step, (1.0, 0.5, 0.75, 0.25))
        return path is not None and all(self._margin(pose) >= 0 for pose in path)
