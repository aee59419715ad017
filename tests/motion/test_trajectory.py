"""Both trajectory generators, by what the robot notices: limits, arrival, stopping, straight lines."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise

import pytest

from reachy_mind.motion.jerk_limited_trajectory import JerkLimitedTrajectory
from reachy_mind.motion.limits import HIGH, LOW, MOVING, PERIOD_S, STOPPING, Limits
from reachy_mind.motion.trajectory import AxesState, TrajectoryGenerator

REST = AxesState([0.0] * 9, [0.0] * 9, [0.0] * 9)
SLACK = 1.001
Target = list[float]


@pytest.fixture(params=[False, True], ids=["library", "portable"])
def trajectory(request: pytest.FixtureRequest) -> TrajectoryGenerator:
    if request.param:
        return JerkLimitedTrajectory(MOVING, STOPPING)
    return library()


def library() -> TrajectoryGenerator:
    pytest.importorskip("ruckig", reason="no wheel for this platform")
    from reachy_mind.motion.ruckig_trajectory import RuckigTrajectory

    return RuckigTrajectory(MOVING, STOPPING)


def somewhere(rng: random.Random) -> Target:
    return [rng.uniform(low, high) for low, high in zip(LOW, HIGH, strict=True)]


def path(step: Callable[[AxesState, int], AxesState | None], ticks: int, start: AxesState = REST) -> list[AxesState]:
    states = [start]
    for tick in range(ticks):
        state = step(states[-1], tick)
        assert state is not None
        states.append(state)
    return states


def assert_within(states: list[AxesState], limits: Limits) -> None:
    for before, after in pairwise(states):
        for axis in range(9):
            jerk = (after.acceleration[axis] - before.acceleration[axis]) / PERIOD_S
            assert abs(after.velocity[axis]) <= SLACK * limits.velocity[axis]
            assert abs(after.acceleration[axis]) <= SLACK * limits.acceleration[axis]
            assert abs(jerk) <= SLACK * limits.jerk[axis]


def ticks_to(states: list[AxesState], target: Target) -> int:
    """Ticks until all axes stand at the target, to stay."""
    for tick in range(len(states) - 1, -1, -1):
        off = zip(states[tick].position, target, strict=True)
        if any(abs(now - goal) > 1e-5 for now, goal in off) or any(abs(v) > 1e-3 for v in states[tick].velocity):
            return tick + 1
    return 0


@pytest.mark.parametrize("seed", range(8))
def test_arrives_within_limits_when_the_target_changes_on_the_way(trajectory: TrajectoryGenerator, seed: int) -> None:
    rng = random.Random(seed)
    first, second, change = somewhere(rng), somewhere(rng), rng.randrange(1, 40)
    states = path(lambda now, tick: trajectory.toward(now, first if tick < change else second), 400)
    assert_within(states, MOVING)
    assert ticks_to(states, second) < 400


@pytest.mark.parametrize("seed", range(4))
def test_from_rest_it_neither_overshoots_nor_turns_back(trajectory: TrajectoryGenerator, seed: int) -> None:
    target = somewhere(random.Random(seed))
    states = path(lambda now, _: trajectory.toward(now, target), 300)
    for axis, goal in enumerate(target):
        gone = [state.position[axis] * (1 if goal > 0 else -1) for state in states]
        assert all(later >= earlier - 1e-9 for earlier, later in pairwise(gone))
        assert gone[-1] <= abs(goal) + 1e-9


def test_brakes_within_300_ms_from_full_speed_to_where_it_said(trajectory: TrajectoryGenerator) -> None:
    fast = AxesState([0.0] * 9, list(MOVING.velocity), [0.0] * 9)
    told = trajectory.stopping_path(fast, (1.0,))
    states = path(lambda now, _: trajectory.braking(now), 30, fast)
    assert_within(states, STOPPING)
    assert max(map(abs, states[-1].velocity)) < 1e-6
    assert told is not None and states[-1].position == pytest.approx(told[0], abs=1e-6)


def test_a_straight_way_keeps_the_axes_in_proportion(trajectory: TrajectoryGenerator) -> None:
    target = [0.02, -0.01, 0.005, 0.3, -0.1, 0.5, 0.2, 1.0, -0.4]
    states = path(lambda now, _: trajectory.straight(now, target), 200)
    assert ticks_to(states, target) < 200
    for state in states:
        shares = [now / goal for now, goal in zip(state.position, target, strict=True)]
        assert max(shares) - min(shares) < 1e-3


@pytest.mark.parametrize("seed", range(8))
def test_the_portable_one_is_as_quick_as_the_library(seed: int) -> None:
    rng = random.Random(100 + seed)
    first, second, change = somewhere(rng), somewhere(rng), rng.randrange(1, 60)
    took = []
    for made in (library(), JerkLimitedTrajectory(MOVING, STOPPING)):
        states = path(lambda now, tick, made=made: made.toward(now, first if tick < change else second), 400)  # type: ignore[misc]
        took.append(ticks_to(states, second))
    assert took[1] <= took[0] + 1
