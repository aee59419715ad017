"""Demonstrations as examples of the task `look_at`."""

from __future__ import annotations

import math

import numpy as np
import pytest

from reachy_mind.learning.demonstrations.demonstration import Demonstration, Rows
from reachy_mind.learning.demonstrations.examples import look_at_examples
from reachy_mind.learning.environments.gaze import BEARING_SCALE, STEP
from reachy_mind.learning.environments.look_at import MOST_PITCH, MOST_YAW
from tests.learning.demonstrations.shown import turn


def turn_to(yaw: float, count: int, wait: int = 0) -> Demonstration:
    """By equal steps to a target at `yaw`, whose bearing shrinks by as much, after `wait` rows of stillness."""
    one = turn(count=count, yaw=yaw)
    states = np.concatenate([np.zeros((wait, 9), dtype=np.float32), one.states])
    return Demonstration("look at the cup", states, states, seen(yaw, states), "teleoperation")


def seen(yaw: float, states: Rows) -> Rows:
    count = len(states)
    columns = [yaw - states[:, 5], np.full(count, -0.01), np.ones(count), np.full(count, 0.5)]
    return np.stack(columns, axis=1).astype(np.float32)


def test_a_turn_to_a_target_on_the_left_is_a_turn_to_the_left() -> None:
    observations, actions = look_at_examples([turn_to(0.35, 15)], elsewhere=0)
    assert observations.shape == (7, 7) and actions.shape == (7, 2) and observations.dtype == np.float32
    # What was turned in two decisions, and no more than was left to turn.
    assert actions[:-1, 0] == pytest.approx(0.1 / STEP, abs=1e-4) and not actions[:, 1].any()
    assert actions[-1, 0] == pytest.approx(0.05 / STEP, abs=1e-4)
    assert observations[:, 0] * BEARING_SCALE == pytest.approx(np.arange(0.35, 0.01, -0.05), abs=1e-4)
    assert observations[:, 1] == pytest.approx(0.01 / BEARING_SCALE)  # up, as the environment has it
    assert (observations[:, 2:4] == [1.0, 0.5]).all()
    assert observations[:, 4] * MOST_YAW == pytest.approx(np.arange(0.0, 0.31, 0.05), abs=1e-4)
    assert observations[0, 6] == 1.0 and observations[1, 6] == pytest.approx(11 / 12)


def test_a_wait_before_the_turn_teaches_nothing() -> None:
    for waited, at_once in zip(
        look_at_examples([turn_to(0.35, 15, wait=20)]), look_at_examples([turn_to(0.35, 15)]), strict=True
    ):
        assert waited == pytest.approx(at_once, abs=1e-5)


def test_a_slow_person_is_followed_at_a_pace_that_fits_an_episode() -> None:
    observations, actions = look_at_examples([turn_to(0.8, 65)], elsewhere=0)
    assert actions[5, 0] == pytest.approx(0.2 / STEP, abs=1e-4)  # what took them eight decisions
    assert observations[-1, 6] == pytest.approx(1 - 31 / 4 / 12, abs=0.03)


def test_it_ends_when_the_camera_points_at_the_target() -> None:
    one = turn_to(0.35, 15)
    beyond = np.concatenate([one.states, np.repeat(one.states[-1:], 40, axis=0)])
    longer = Demonstration("look at the cup", beyond, beyond, seen(0.35, beyond), "teleoperation")
    assert len(look_at_examples([longer], elsewhere=0)[0]) == 7


def test_a_target_out_of_sight_keeps_its_place_while_the_head_turns() -> None:
    one = turn(count=17, yaw=0.4)
    targets = np.zeros((17, 4), dtype=np.float32)
    targets[4:7] = [0.3, 0.0, 1.0, 0.5]
    observations, _ = look_at_examples([turn(count=17, yaw=0.4, targets=targets)], elsewhere=0)
    assert observations[0, 2] == 1 and observations[-1, 2] == 0 and observations[-1, 3] == 0
    turned = one.states[14, 5] - one.states[6, 5]
    assert observations[-1, 0] == pytest.approx((0.3 - turned) / BEARING_SCALE, abs=1e-4)


def test_looking_down_is_negative_and_a_fast_turn_is_the_largest_action() -> None:
    one = turn(count=15, yaw=-6.0, targets=np.ones((15, 4), dtype=np.float32))
    one.states[:, 4] = math.radians(20)
    observations, actions = look_at_examples([one], elsewhere=0)
    assert observations[:, 5] == pytest.approx(-math.radians(20) / MOST_PITCH, abs=1e-4) and (actions[:, 0] == -1).all()


def test_looking_around_before_the_approach_teaches_nothing() -> None:
    around, to = turn(count=41, yaw=-0.7).states, turn_to(0.35, 15).states
    back = np.zeros((22, 9), dtype=np.float32)
    back[:, 5] = np.linspace(-0.7, 0.0, 22)
    states = np.concatenate([around, back, to])
    one = Demonstration("look at the cup", states, states, seen(0.35, states), "teleoperation")
    observations, actions = look_at_examples([one], elsewhere=0)
    assert (actions[:, 0] > 0).all()
    assert observations[0, 0] * BEARING_SCALE == pytest.approx(1.05, abs=0.05)


def test_what_was_shown_in_one_place_counts_elsewhere_too() -> None:
    observations, actions = look_at_examples([turn_to(0.35, 15), turn_to(-0.5, 21)], elsewhere=3)
    first = observations[:28].reshape(4, 7, 7)
    assert len(observations) == 4 * (7 + 10) and (actions[:28].reshape(4, 7, 2) == actions[:7]).all()
    assert (first[:, :, [0, 1, 2, 6]] == first[0][:, [0, 1, 2, 6]]).all(), "the same bearings"
    turned = np.diff(first[:, :, 4], axis=1)
    assert turned == pytest.approx(np.broadcast_to(turned[0], turned.shape), abs=1e-5), "the same turns"
    assert np.abs(first[:, :, 4:6]).max() <= 1.0 + 1e-6 and len(np.unique(first[:, 0, 4].round(3))) == 4
    assert len(np.unique(first[:, 0, 3].round(3))) == 4, "nearer and farther"


def test_without_targets_or_turns_there_are_no_examples() -> None:
    still = turn(yaw=0.0, targets=np.ones((41, 4), dtype=np.float32))
    for shown in ([], [turn()], [still]):
        observations, actions = look_at_examples(shown)
        assert observations.shape == (0, 7) and actions.shape == (0, 2)
