"""Adaptation to a robot that answers weakly, strongly or late, with the geometric controller as the policy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from reachy_mind.learning.algorithms.adaptation import (
    ActionEffect,
    AdaptivePolicy,
    CompensatedPolicy,
    RobotResponse,
    adapted,
)
from reachy_mind.learning.environments.environment import BatchEnvironment, Randomisation
from reachy_mind.learning.environments.look_at import control
from reachy_mind.learning.evaluation.success import evaluate

LookAt = Callable[..., BatchEnvironment]
HELD_OUT = 77


class Controller:
    """Turns by a share of the bearing; knows nothing of the robot."""

    def act(self, observations):
        return control(observations)


def robot(gain, delay):
    return Randomisation(gain=(gain, gain), delay=(delay, delay), noise_degrees=0.5)


@pytest.mark.parametrize(("gain", "delay"), [(0.4, 0), (0.4, 2), (1.8, 2), (1.0, 3)])
def test_within_ten_episodes_the_gain_and_the_delay_are_known_and_compensated_for(look_at: LookAt, gain, delay):
    policy, changed = Controller(), robot(gain, delay)
    effect = ActionEffect.met(policy, look_at(30))
    adaptive = adapted(policy, effect, look_at(1, seed=3, randomisation=changed))
    before = evaluate(policy, look_at(200, randomisation=changed), HELD_OUT)
    after = evaluate(adaptive.settled(), look_at(200, randomisation=changed), HELD_OUT)
    assert after.success >= 0.98
    assert after.success >= before.success and after.violations <= before.violations + 0.01
    assert adaptive.response.delay == pytest.approx(delay, abs=0.35)
    if gain <= 1.0:  # a strong robot is cut by the safety filter, and looks weaker
        assert adaptive.response.gain == pytest.approx(gain, rel=0.1)


def test_on_the_robot_of_the_model_nothing_changes(look_at: LookAt):
    policy = Controller()
    effect = ActionEffect.met(policy, look_at(30))
    adaptive = adapted(policy, effect, look_at(1, seed=3))
    assert adaptive.response.gain == pytest.approx(1.0, abs=0.03) and adaptive.response.delay < 0.1
    observations = look_at(50).reset(HELD_OUT)
    assert adaptive.settled().act(observations) == pytest.approx(policy.act(observations), abs=0.05)


def test_before_it_has_seen_anything_it_acts_as_the_policy_does(look_at: LookAt):
    effect = ActionEffect.met(Controller(), look_at(30))
    observations = look_at(50).reset(HELD_OUT)
    assert AdaptivePolicy(Controller(), effect).act(observations) == pytest.approx(control(observations))


def test_actions_of_an_episode_that_is_over_are_not_on_their_way_in_the_next(look_at: LookAt):
    effect = ActionEffect.met(Controller(), look_at(30))
    late = CompensatedPolicy(Controller(), effect, RobotResponse((0.0, 0.0, 1.0, 0.0, 0.0)))
    observations = look_at(2).reset(HELD_OUT)
    first = late.act(observations)
    late.begin(np.array([True, False]))
    again = late.act(observations)
    assert again[0] == pytest.approx(first[0])
    assert again[1] != pytest.approx(first[1])


def test_values_that_actions_do_not_explain_are_left_alone():
    rng = np.random.default_rng(0)
    actions = rng.uniform(-1, 1, (200, 2)).astype(np.float32)
    changes = np.stack([0.5 * actions[:, 0], rng.normal(0, 1, 200)], axis=1)
    effect = ActionEffect.of(actions, changes)
    assert effect.matrix[0, 0] == pytest.approx(0.5, abs=1e-3)
    assert not effect.matrix[:, 1].any() and effect.drift[1] == 0
