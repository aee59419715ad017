"""Trajectory generation in Python alone, one axis at a time.

All of it rests on one thing that has a closed form: the quickest way from one velocity to another, which is at most
three phases of constant jerk. An axis on its way to a position takes, each tick, the highest velocity to steer for from
whose next state it could still stop in front of the target. Where the stop would be grows with that velocity, so
bisection finds it. An axis that brakes exactly into its target keeps doing so: it neither overshoots nor creeps.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from reachy_mind.motion.limits import PERIOD_S, Limits
from reachy_mind.motion.trajectory import AxesState

ARRIVED = 1e-9
"""Of position, velocity and acceleration: an axis nearer than this has arrived."""
STOP_TOLERANCE = 1e-11
MOST_STEPS = 60
SHORTEST_DISTANCE = 1e-9


class Axis(NamedTuple):
    """State of one axis."""

    position: float
    velocity: float
    acceleration: float


class AxisLimits(NamedTuple):
    velocity: float
    acceleration: float
    jerk: float


Phase = tuple[float, float]
"""Seconds, and the jerk in them."""


def velocity_phases(velocity: float, acceleration: float, wanted: float, limits: AxisLimits) -> tuple[Phase, ...]:
    """The quickest way to a velocity at which the acceleration is 0."""
    most, jerk = limits.acceleration, limits.jerk
    way = 1.0 if velocity + acceleration * abs(acceleration) / (2 * jerk) <= wanted else -1.0
    gain, start = way * (wanted - velocity), way * acceleration
    peak = math.sqrt(max(0.0, jerk * gain + start * start / 2))
    hold = 0.0
    if peak > most:
        ramp = abs(most * most - start * start) / (2 * jerk)
        ramp = -ramp if start < -most else ramp  # what the velocity gains until the acceleration is the most
        peak, hold = most, max(0.0, (gain - ramp - most * most / (2 * jerk)) / most)
    rise = jerk if peak >= start else -jerk
    return (abs(peak - start) / jerk, way * rise), (hold, 0.0), (peak / jerk, -way * jerk)


def duration(phases: Sequence[Phase]) -> float:
    return sum(length for length, _ in phases)


def advanced(axis: Axis, phases: Sequence[Phase], seconds: float) -> Axis:
    """The state after some time; after the last phase the velocity stays."""
    position, velocity, acceleration = axis
    for length, jerk in phases:
        step = min(length, seconds)
        position += step * (velocity + step * (acceleration / 2 + step * jerk / 6))
        velocity += step * (acceleration + step * jerk / 2)
        acceleration += step * jerk
        seconds -= step
        if seconds <= 0.0:
            return Axis(position, velocity, acceleration)
    return Axis(position + seconds * velocity, velocity, 0.0)


def stopping_point(axis: Axis, limits: AxisLimits) -> float:
    """Where it stands when it brakes from now on."""
    phases = velocity_phases(axis.velocity, axis.acceleration, 0.0, limits)
    return advanced(axis, phases, duration(phases)).position


def step_toward(axis: Axis, target: float, limits: AxisLimits) -> Axis:
    """One tick on the way to rest at the target."""
    position, velocity, acceleration = axis
    if abs(position - target) < ARRIVED and abs(velocity) < ARRIVED and abs(acceleration) < ARRIVED:
        return Axis(target, 0.0, 0.0)

    def steered(wanted: float) -> tuple[Axis, float]:
        after = advanced(axis, velocity_phases(velocity, acceleration, wanted, limits), PERIOD_S)
        return after, stopping_point(after, limits) - target

    low, high = -limits.velocity, limits.velocity
    slow, before = steered(low)
    if before >= 0.0:
        return slow
    fast, beyond = steered(high)
    if beyond <= 0.0:
        return fast
    for count in range(MOST_STEPS):
        share = -before / (beyond - before) if count % 3 else 0.5  # the secant, and now and then the middle
        middle = low + share * (high - low)
        found, miss = steered(middle)
        if abs(miss) < STOP_TOLERANCE:
            return found
        if miss < 0.0:
            low, slow, before = middle, found, miss
        else:
            high, beyond = middle, miss
    return slow


class JerkLimitedTrajectory:
    def __init__(self, moving: Limits, stopping: Limits) -> None:
        self._moving, self._stopping = _by_axis(moving), _by_axis(stopping)

    def toward(self, state: AxesState, target: Sequence[float]) -> AxesState:
        return self._together(map(step_toward, _axes(state), target, self._moving))

    def straight(self, state: AxesState, target: Sequence[float]) -> AxesState:
        """Each axis gets the share of the limits that the slowest one needs."""
        away = [max(abs(goal - now), SHORTEST_DISTANCE) for goal, now in zip(target, state.position, strict=True)]
        shares = [min(limits[kind] / far for limits, far in zip(self._moving, away, strict=True)) for kind in range(3)]
        scaled = [AxisLimits(*(far * share for share in shares)) for far in away]
        return self._together(map(step_toward, _axes(state), target, scaled))

    def braking(self, state: AxesState) -> AxesState:
        return self._together(
            advanced(axis, velocity_phases(axis.velocity, axis.acceleration, 0.0, limits), PERIOD_S)
            for axis, limits in zip(_axes(state), self._stopping, strict=True)
        )

    def stopping_path(self, state: AxesState, shares: Sequence[float]) -> list[list[float]]:
        axes = _axes(state)
        ways = [
            velocity_phases(axis.velocity, axis.acceleration, 0.0, limits)
            for axis, limits in zip(axes, self._stopping, strict=True)
        ]
        end = max(map(duration, ways))
        return [
            [advanced(axis, phases, end * share).position for axis, phases in zip(axes, ways, strict=True)]
            for share in shares
        ]

    @staticmethod
    def _together(axes: Iterable[Axis]) -> AxesState:
        position, velocity, acceleration = map(list, zip(*axes, strict=True))
        return AxesState(position, velocity, acceleration)


def _axes(state: AxesState) -> list[Axis]:
    return list(map(Axis, *state))


def _by_axis(limits: Limits) -> list[AxisLimits]:
    return list(map(AxisLimits, limits.velocity, limits.acceleration, limits.jerk))
