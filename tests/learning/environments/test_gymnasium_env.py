"""Gymnasium takes our environments for its own, and a seed makes them reproducible."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reachy_mind.body.batch_kinematics import BatchKinematics
from reachy_mind.errors import InvalidParameter
from reachy_mind.learning.environments.bodies import KinematicBody
from reachy_mind.learning.environments.catalogue import TASKS
from reachy_mind.learning.environments.environment import DIVERSE, BatchEnvironment
from reachy_mind.learning.environments.look_at import LookAtTask
from reachy_mind.learning.environments.safety import SafetyFilter

pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env

from reachy_mind.learning.environments.gymnasium_env import ReachyEnv, ReachyVectorEnv, make_env, make_vector_env


def batch(description: Path, count: int) -> BatchEnvironment:
    safety = SafetyFilter(BatchKinematics(description / "kinematics_data.json"))
    return BatchEnvironment(LookAtTask(count), KinematicBody(count), safety, randomisation=DIVERSE)


@pytest.mark.parametrize("task", [*TASKS, "look_at+beat"])
def test_gymnasium_finds_nothing_wrong(task: str) -> None:
    check_env(make_env(task, seed=1, randomisation=DIVERSE), skip_render_check=True)


@pytest.mark.simulator
@pytest.mark.parametrize("task", TASKS)
def test_nor_with_physics(task: str) -> None:
    check_env(make_env(task, "physics", seed=1), skip_render_check=True)


@pytest.mark.process
@pytest.mark.simulator
@pytest.mark.parametrize("task", ["look_at", "find_object", "track_face"])
def test_nor_with_a_camera(task: str) -> None:
    env = make_env(task, "camera", seed=1, things="unseen")
    try:
        check_env(env, skip_render_check=True)
    finally:
        env.close()


@pytest.mark.simulator
def test_one_robot_has_the_camera_and_it_needs_something_to_see() -> None:
    with pytest.raises(InvalidParameter, match="2 robots"):
        make_vector_env("look_at", 2, "camera")
    with pytest.raises(InvalidParameter, match="beat"):
        make_env("beat", "camera")


@pytest.mark.simulator
def test_the_seed_of_a_new_environment_counts_and_its_scenes_are_as_asked_for() -> None:
    one, same, other = (make_env("look_at", "physics", seed=seed).reset()[0] for seed in (1, 1, 2))
    assert (one == same).all() and (one != other).any()
    aside = make_vector_env("look_at", 64, scenes="unseen").reset()[0][:, 0]
    near = make_vector_env("look_at", 64, difficulty=0.0).reset()[0][:, 0]
    assert np.abs(near).max() < 0.35 and np.abs(aside).max() > 0.9


def test_an_unknown_task_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="juggle"):
        make_env("juggle")


def test_an_episode_ends_with_its_own_observation_and_the_next_begins_with_a_reset(description: Path) -> None:
    env = ReachyEnv(batch(description, 1))
    env.reset(seed=4)
    steps: list[Any] = [env.step(np.zeros(2, np.float32))]
    while not (steps[-1][2] or steps[-1][3]):
        steps.append(env.step(np.zeros(2, np.float32)))
    observation, reward, terminated, truncated, info = steps[-1]
    assert truncated and not terminated and len(steps) == LookAtTask.horizon
    assert observation[6] == pytest.approx(0.0), "no time left"
    assert info.keys() == {"success", "violation", "reward_task", "reward_safety", "reward_efficiency"}
    assert isinstance(reward, float) and info["violation"] is False
    assert env.reset()[0][6] == pytest.approx(1.0)


def test_a_batch_is_no_single_environment(description: Path) -> None:
    with pytest.raises(ValueError, match="ReachyVectorEnv"):
        ReachyEnv(batch(description, 2))


def test_many_at_once_are_reproducible_by_their_seed(description: Path) -> None:
    runs = []
    for _ in range(2):
        env = ReachyVectorEnv(batch(description, 8))
        env.action_space.seed(7)
        seen = [env.reset(seed=5)[0]]
        assert env.observation_space.contains(seen[0])
        for _ in range(LookAtTask.horizon + 2):
            observations, rewards, terminated, truncated, info = env.step(env.action_space.sample())
            assert rewards.shape == terminated.shape == truncated.shape == info["success"].shape == (8,)
            over = terminated | truncated
            if over.any():
                assert (info["_final_obs"] == over).all()
                assert observations[over][:, 6] == pytest.approx(1.0), "of the new episode"
            seen.append(observations)
        env.close()
        runs.append(np.array(seen))
    assert (runs[0] == runs[1]).all()
    assert (ReachyVectorEnv(batch(description, 8)).reset(seed=6)[0] != runs[0][0]).any()
