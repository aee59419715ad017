"""`Shaper`: from where the robot shall be to what is sent, so that nothing is ever too far, too fast or too sudden.

Each tick one target goes in and one command comes out. The target is brought into range; Ruckig then moves the nine
numbers towards it within velocity, acceleration and jerk. Every number stays in its own box by construction, since from
each state Ruckig can stop before the box ends. Whether the rods reach is not a box: near that edge a step is taken only
if the robot could still stop on the safe side, else it brakes; and if it then stands before the edge, tilt and shift of
the target shrink until there is a way. Where there is none, because the nine numbers do not arrive together, the robot
first goes straight back from the edge a little, all of them together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ruckig import ControlInterface, InputParameter, OutputParameter, Ruckig, Synchronization, Trajectory

from reachy_mind.body.kinematics import Kinematics
from reachy_mind.body.pose import Nine
from reachy_mind.motion.limits import BODY_YAW, HIGH, LOW, MOVING, PERIOD_S, STOPPING, YAW, Limits

KEPT = 0.04
"""Radians of joint range never used: between the poses that are looked at, a path may bulge by a little."""
ROOM, ROOM_PER_SPEED = 0.35, 0.1
"""Joint range that stopping can use up, at rest and for each radian a second (a metre counting as 15), about twice what
random states showed. With more room than this, a step needs no closer look."""
SHRINK = 0.95
STUCK, RETREAT = 0.75, 0.85
"""So much shrunk, a target counts as one to which there is no way; so much of tilt and shift is kept going back."""
STILL = 1e-4
NOTABLE = 1e-4
NOTHING: frozenset[int] = frozenset()


def relative(pose: Sequence[float]) -> list[float]:
    """Yaw on the body instead of yaw."""
    shaped = list(pose)
    shaped[YAW] -= shaped[BODY_YAW]
    return shaped


def absolute(shaped: Sequence[float]) -> Nine:
    x, y, z, roll, pitch, turn, body, left, right = shaped
    return x, y, z, roll, pitch, turn + body, body, left, right


class Shaper:
    """Holds the command: position, velocity and acceleration of the nine numbers."""

    def __init__(self, kinematics: Kinematics, start: Nine) -> None:
        self._kinematics = kinematics
        self._ruckig = Ruckig(9, PERIOD_S)
        self._out = OutputParameter(9)
        self._moving = self._parameters(MOVING, ControlInterface.Position)
        self._retreating = self._parameters(MOVING, ControlInterface.Position)
        self._retreating.synchronization = Synchronization.Phase  # in a straight line, if it starts from rest
        self._braking = self._parameters(STOPPING, ControlInterface.Velocity)
        self._trajectory = Trajectory(9)
        self._shrink = 1.0
        self._back = False
        self._good: Nine = start
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

    def restart(self, at: Nine) -> None:
        """Forget all motion: the robot stands still here."""
        bounded = [min(max(value, low), high) for value, low, high in zip(relative(at), LOW, HIGH, strict=True)]
        self._position, self._velocity, self._acceleration = bounded, [0.0] * 9, [0.0] * 9
        self._shrink, self._back = 1.0, False

    @property
    def command(self) -> Nine:
        return absolute(self._position)

    @property
    def still(self) -> bool:
        return max(map(abs, self._velocity)) < STILL

    @property
    def velocity(self) -> Nine:
        return absolute(self._velocity)

    def next(self, target: Nine) -> Nine:
        """The command of the next tick, on the way to `target`; one with a NaN in it counts as the last good one."""
        if all(map(math.isfinite, target)):
            self._good = target
        wanted = self._reachable_target(self._good)
        self._moving.target_position = wanted
        step = self._step(self._retreating if self._back else self._moving)
        if step is not None and self._safe(step):
            self._take(step)
            self._shrink = min(1.0, self._shrink / SHRINK)
            self._back = self._back and self._shrink < 1.0
        else:
            self._take(self._step(self._braking))
            if self.still:
                self._find_a_way()
        return self.command

    def _find_a_way(self) -> None:
        """The robot stands, and what it should do next would lead over the edge."""
        self._shrink *= SHRINK
        if self._shrink < STUCK and not self._back:
            self._back = True
            self._retreating.target_position = [value * RETREAT for value in self._position[:5]] + self._position[5:]

    def brake(self) -> Nine:
        """The command of the next tick while stopping, as hard as allowed."""
        self._take(self._step(self._braking))
        return self.command

    def _reachable_target(self, target: Nine) -> list[float]:
        """Into the box, then tilt and shift shrunk until the rods reach."""
        wanted = relative(target)
        given: list[int] = []
        for index, value in enumerate(wanted):
            if not LOW[index] <= value <= HIGH[index]:
                wanted[index] = LOW[index] if value < LOW[index] else HIGH[index]
                given.append(index)
        if self._shrink < 1.0 or self._room(wanted) < 0:
            share = self._reaching_share(wanted, self._shrink)
            given += [index for index in range(5) if abs(wanted[index]) * (1 - share) > NOTABLE]
            wanted[:5] = [value * share for value in wanted[:5]]
        self.clamped = frozenset(given) if given else NOTHING
        return wanted

    def _reaching_share(self, wanted: list[float], most: float) -> float:
        """How much of tilt and shift, up to `most`, the rods reach."""
        low, high = 0.0, most
        if self._room([value * most for value in wanted[:5]] + wanted[5:]) >= 0:
            return most
        for _ in range(12):
            share = (low + high) / 2
            trial = [value * share for value in wanted[:5]] + wanted[5:]
            low, high = (share, high) if self._room(trial) >= 0 else (low, share)
        return low

    def _room(self, shaped: Sequence[float]) -> float:
        """The joint range that is left in this pose, less what we keep; negative out of reach."""
        return self._kinematics.room(absolute(shaped)) - KEPT

    def _step(self, parameters: InputParameter) -> tuple[list[float], list[float], list[float]] | None:
        parameters.current_position = self._position
        parameters.current_velocity = self._velocity
        parameters.current_acceleration = self._acceleration
        if self._ruckig.update(parameters, self._out) < 0:
            return None
        return self._out.new_position, self._out.new_velocity, self._out.new_acceleration

    def _safe(self, step: tuple[list[float], list[float], list[float]]) -> bool:
        """Whether the robot could still stop within reach after this step; from outside, whether it leads back in."""
        room = self._room(step[0])
        if room < 0:
            return room > self._room(self._position)
        vx, vy, vz, roll, pitch, turn, body = map(abs, step[1][:7])
        if room >= ROOM + ROOM_PER_SPEED * (15 * (vx + vy + vz) + roll + pitch + turn + body):
            return True
        braking = self._braking
        braking.current_position, braking.current_velocity, braking.current_acceleration = step
        if self._ruckig.calculate(braking, self._trajectory) < 0:
            return False
        end = self._trajectory.duration
        return all(self._room(self._trajectory.at_time(end * share)[0]) >= 0 for share in (1.0, 0.5, 0.75, 0.25))

    def _take(self, step: tuple[list[float], list[float], list[float]] | None) -> None:
        if step is None:  # Ruckig refuses only states it did not make itself
            self._velocity, self._acceleration = [0.0] * 9, [0.0] * 9
            return
        self._position, self._velocity, self._acceleration = step
