"""The catalogue of tasks: each can be done by its expert and, knowing no more than a policy, by its controller."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from reachy_mind.body.batch_kinematics import BatchKinematics
from reachy_mind.errors import InvalidParameter
from reachy_mind.learning.environments.bodies import KinematicBody
from reachy_mind.learning.environments.catalogue import TASKS, TaskKind, task_kind
from reachy_mind.learning.environments.environment import BatchEnvironment
from reachy_mind.learning.environments.safety import SafetyFilter
from reachy_mind.learning.environments.scenes import Scenes
from reachy_mind.learning.evaluation.success import evaluate

ROBOTS = 200


class Expert:
    def __init__(self, environment: BatchEnvironment) -> None:
        self._environment = environment

    def act(self, observations: np.ndarray) -> np.ndarray:  # noqa: ARG002
        return self._environment.expert()


class Controller:
    def __init__(self, kind: TaskKind) -> None:
        self.act = kind.control


class Still:
    def __init__(self, kind: TaskKind) -> None:
        self._actions = kind.action_size

    def act(self, observations: np.ndarray) -> np.ndarray:
        return np.zeros((len(observations), self._actions), np.float32)


@pytest.fixture(scope="module")
def safety(description: Path) -> SafetyFilter:
    return SafetyFilter(BatchKinematics(description / "kinematics_data.json"))


def environment(kind: TaskKind, safety: SafetyFilter, difficulty: float, scenes: Scenes) -> BatchEnvironment:
    return BatchEnvironment(kind.make(ROBOTS, difficulty, scenes), KinematicBody(ROBOTS), safety)


@pytest.mark.parametrize("scenes", ["usual", "narrow", "unseen"])
@pytest.mark.parametrize("kind", TASKS.values(), ids=TASKS)
def test_every_task_can_be_done_in_all_its_scenes(kind: TaskKind, scenes: Scenes, safety: SafetyFilter) -> None:
    practice = environment(kind, safety, 1.0, scenes)
    expert, controller = evaluate(Expert(practice), practice, 11), evaluate(Controller(kind), practice, 11)
    assert expert.success > 0.95 and expert.violations < 0.01
    assert controller.success > 0.9 and controller.violations < 0.01


@pytest.mark.parametrize("kind", TASKS.values(), ids=TASKS)
def test_a_kind_tells_the_sizes_of_its_task(kind: TaskKind, safety: SafetyFilter) -> None:
    practice = environment(kind, safety, 0.0, "usual")
    assert (kind.name, kind.horizon) == (practice.task.name, practice.task.horizon)
    assert practice.reset(1).shape == (ROBOTS, kind.observation_size)
    assert practice.expert().shape == (ROBOTS, kind.action_size)


@pytest.mark.parametrize("kind", TASKS.values(), ids=TASKS)
def test_who_does_nothing_does_not_succeed(kind: TaskKind, safety: SafetyFilter) -> None:
    assert evaluate(Still(kind), environment(kind, safety, 1.0, "usual"), 11).success < 0.05


@pytest.mark.parametrize("kind", TASKS.values(), ids=TASKS)
def test_the_same_seed_gives_the_same_episodes(kind: TaskKind, safety: SafetyFilter) -> None:
    one, other = (environment(kind, safety, 0.5, "usual") for _ in range(2))
    other.reset(8)
    np.testing.assert_array_equal(one.reset(3), other.reset(3))
    for _ in range(kind.horizon + 2):
        here, there = one.step(one.expert()), other.step(other.expert())
        np.testing.assert_array_equal(here.observations, there.observations)
        np.testing.assert_array_equal(here.rewards, there.rewards)


@pytest.mark.parametrize("kind", TASKS.values(), ids=TASKS)
def test_observations_are_about_one_and_a_mirrored_scene_is_a_scene(kind: TaskKind, safety: SafetyFilter) -> None:
    practice = environment(kind, safety, 1.0, "usual")
    seen = [practice.reset(4)]
    for _ in range(kind.horizon):
        seen.append(practice.step(practice.expert()).observations)
    observations = np.concatenate(seen)
    assert np.isfinite(observations).all() and np.abs(observations).max() < 5.0
    if kind.mirror is None:
        return
    actions = kind.control(observations)
    both, turned = kind.mirror(observations, actions)
    assert len(both) == 2 * len(observations)
    np.testing.assert_allclose(kind.control(both), turned, atol=1e-6, err_msg="the controller knows no left or right")


def test_an_unknown_task_names_the_known_ones() -> None:
    with pytest.raises(InvalidParameter, match="juggle") as refused:
        task_kind("juggle")
    assert "look_at" in refused.value.hint
