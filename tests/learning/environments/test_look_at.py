"""The task `look_at` without physics: geometry, episodes, safety, robots that differ from the model."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from reachy_mind.body.pose import Pose
from reachy_mind.learning.environments.environment import BatchEnvironment, Randomisation
from reachy_mind.learning.environments.gaze import STEP, camera_bearing
from reachy_mind.learning.environments.look_at import mirrored
from reachy_mind.learning.evaluation.success import evaluate
from reachy_mind.learning.look_at.scene import miss
from reachy_mind.learning.policies.policy import Policy

LookAt = Callable[..., BatchEnvironment]


class Expert:
    def __init__(self, environment: BatchEnvironment) -> None:
        self._environment = environment

    def act(self, observations: np.ndarray) -> np.ndarray:  # noqa: ARG002
        return self._environment.expert()


class Still:
    def act(self, observations: np.ndarray) -> np.ndarray:
        return np.zeros((len(observations), 2), np.float32)


def test_the_bearing_is_the_miss_of_the_head() -> None:
    rng = np.random.default_rng(1)
    poses, places = rng.uniform(-0.4, 0.4, (50, 9)), rng.uniform(0.2, 1.0, (50, 3))
    left, up, angle, _ = camera_bearing(poses, places)
    for row, (pose, place) in enumerate(zip(poses, places, strict=True)):
        seen = miss(Pose(*pose).head_matrix(), place)
        assert (seen.left, seen.up, seen.angle) == pytest.approx(np.degrees([left[row], up[row], angle[row]]))


def test_an_expert_succeeds_and_who_does_nothing_does_not(look_at: LookAt) -> None:
    environment = look_at(300)
    expert, still = evaluate(Expert(environment), environment, 7), evaluate(Still(), environment, 7)
    assert expert.success > 0.99 and expert.violations < 0.01
    assert still.success < 0.05 and still.mean_decisions > expert.mean_decisions


def test_the_same_seed_gives_the_same_episodes(look_at: LookAt) -> None:
    one, other = look_at(20), look_at(20, seed=5)
    actions = np.random.default_rng(0).uniform(-1, 1, (30, 20, 2)).astype(np.float32)
    np.testing.assert_array_equal(one.reset(3), other.reset(3))
    for each in actions:
        np.testing.assert_array_equal(one.step(each).observations, other.step(each).observations)


def test_an_episode_ends_at_its_horizon_and_the_next_begins(look_at: LookAt) -> None:
    environment = look_at(5)
    environment.reset(1)
    step = environment.step(Still().act(np.zeros((5, 7))))
    for _ in range(environment.task.horizon - 1):
        assert not step.over.any()
        step = environment.step(Still().act(np.zeros((5, 7))))
    assert step.truncated.all() and not step.success.any()
    assert (step.observations[:, 6] == 1.0).all() and (step.final_observations[:, 6] == 0.0).all()


def test_what_is_unsafe_is_not_done_and_counted(look_at: LookAt) -> None:
    environment = look_at(4)
    environment.reset(1)
    down = np.tile(np.array([0.0, -1.0], np.float32), (4, 1))
    violated = [environment.step(down).violations.all() for _ in range(5)]
    assert not violated[0] and violated[-1]
    assert (environment.body.poses[:, 4] <= math.radians(40) + 1e-6).all()


def test_actions_that_are_no_numbers_move_nothing(look_at: LookAt) -> None:
    environment = look_at(2)
    environment.reset(1)
    before = environment.body.poses.copy()
    step = environment.step(np.array([[np.nan, 0.0], [np.inf, 1.0]], np.float32))
    assert step.violations.all()
    np.testing.assert_array_equal(environment.body.poses, before)


def test_robots_that_differ_turn_later_and_less(look_at: LookAt) -> None:
    environment = look_at(1, randomisation=Randomisation(gain=(0.5, 0.5), delay=(2, 2)))
    environment.reset(1)
    turns = []
    for _ in range(3):
        environment.step(np.array([[1.0, 0.0]], np.float32))
        turns.append(float(environment.body.poses[0, 5]))
    assert turns == pytest.approx([0.0, 0.0, STEP / 2])


def test_mirrored_examples_turn_the_other_way(look_at: LookAt) -> None:
    environment = look_at(10)
    seen, done = environment.reset(2), environment.expert()
    both, actions = mirrored(seen, done)
    assert len(both) == 20
    np.testing.assert_array_equal(actions[10:, 0], -done[:, 0])
    np.testing.assert_array_equal(both[10:, [0, 4]], -seen[:, [0, 4]])


def test_a_controller_as_a_network_is_an_actor(look_at: LookAt) -> None:
    weights = np.zeros((7, 2), np.float32)
    weights[0, 0] = weights[1, 1] = 2.0
    proportional = Policy([(weights, np.zeros(2, np.float32))], np.zeros(7, np.float32), np.ones(7, np.float32))
    assert evaluate(proportional, look_at(200), 3).success > 0.95
