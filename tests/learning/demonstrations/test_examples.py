"""Demonstrations as examples of the task `look_at`."""

from __future__ import annotations

import math

import numpy as np
import pytest

from reachy_mind.learning.demonstrations.examples import look_at_examples
from reachy_mind.learning.environments.gaze import BEARING_SCALE, STEP
from reachy_mind.learning.environments.look_at import MOST_PITCH
from tests.learning.demonstrations.shown import turn


def test_a_turn_to_a_target_on_the_left_is_a_turn_to_the_left() -> None:
    """Half a radian in a second, by equal steps; the bearing shrinks by as much."""
    one = turn(count=21, yaw=0.5)
    targets = np.stack([0.5 - one.states[:, 5], np.full(21, -0.1), np.ones(21), np.full(21, 0.5)], axis=1).astype(
        np.float32
    )
    observations, actions = look_at_examples([turn(count=21, yaw=0.5, targets=targets)])
    assert observations.shape == (10, 7) and actions.shape == (10, 2) and observations.dtype == np.float32
    assert actions[:9, 0] == pytest.approx(0.05 / STEP, abs=1e-4) and not actions[:, 1].any()
    assert observations[0, 0] == pytest.approx(0.5 / BEARING_SCALE, abs=1e-4)
    assert observations[9, 0] == pytest.approx(0.05 / BEARING_SCALE, abs=1e-4)
    assert observations[:, 1] == pytest.approx(0.1 / BEARING_SCALE)  # up, as the environment has it
    assert observations[0, 3] == 0.5 and observations[0, 6] == 1.0 and observations[1, 6] < 1.0


def test_a_target_out_of_sight_keeps_its_place_while_the_head_turns() -> None:
    one = turn(count=21, yaw=0.5)
    targets = np.zeros((21, 4), dtype=np.float32)
    targets[4:7] = [0.3, 0.0, 1.0, 0.5]
    observations, _ = look_at_examples([turn(count=21, yaw=0.5, targets=targets)])
    assert len(observations) == 8 and observations[0, 2] == 1 and observations[-1, 2] == 0
    turned = one.states[18, 5] - one.states[6, 5]
    assert observations[-1, 0] == pytest.approx((0.3 - turned) / BEARING_SCALE, abs=1e-4)


def test_looking_down_is_negative_and_a_fast_turn_is_the_largest_action() -> None:
    one = turn(count=21, yaw=-6.0, targets=np.ones((21, 4), dtype=np.float32))
    one.states[:, 4] = math.radians(20)
    observations, actions = look_at_examples([one])
    assert observations[:, 5] == pytest.approx(-math.radians(20) / MOST_PITCH, abs=1e-4) and (actions[:, 0] == -1).all()


def test_without_targets_there_are_no_examples() -> None:
    observations, actions = look_at_examples([turn()])
    assert observations.shape == (0, 7) and actions.shape == (0, 2)
    assert look_at_examples([])[0].shape == (0, 7)
