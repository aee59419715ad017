"""PPO and SAC: need torch (`make test-extras`)."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from reachy_mind.learning.environments.bodies import Array, KinematicBody
from reachy_mind.learning.environments.environment import BatchEnvironment
from reachy_mind.learning.environments.look_at import LookAtTask
from reachy_mind.learning.environments.safety import SafetyFilter
from reachy_mind.learning.policies.policy import Policy

torch = pytest.importorskip("torch")

from reachy_mind.learning.algorithms import ppo, sac  # noqa: E402
from reachy_mind.learning.algorithms.ppo import PPO, PPOPlan  # noqa: E402
from reachy_mind.learning.algorithms.sac import SAC, SACPlan  # noqa: E402

Make = Callable[[], Any]
HELD_OUT = 4_242


class Everywhere:
    """A head that reaches every pose."""

    def margins(self, poses: Array) -> Array:
        return np.ones(len(poses))


@pytest.fixture(autouse=True)
def one_thread() -> Any:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def world(count: int = 10, seed: int = 0) -> BatchEnvironment:
    return BatchEnvironment(LookAtTask(count), KinematicBody(count), SafetyFilter(Everywhere()), seed=seed)


def success(policy: Policy, scenes: int = 200) -> float:
    environment = world(scenes, HELD_OUT)
    observations, running, successes = environment.reset(), np.ones(scenes, np.bool_), 0
    while running.any():
        step = environment.step(policy.act(observations))
        successes += int((step.success & step.over & running).sum())
        observations, running = step.observations, running & ~step.over
    return successes / scenes


def small_ppo() -> PPO:
    return PPO(7, 2, PPOPlan(epochs=2, kept_updates=2), seed=3)


def small_sac() -> SAC:
    return SAC(7, 2, SACPlan(starts=16, updates=1, batch=16, buffer=150), seed=3)


both = pytest.mark.parametrize("make", [small_ppo, small_sac], ids=["ppo", "sac"])


@pytest.mark.parametrize(
    "make",
    [lambda: PPO(7, 2, ppo.DENSE_REWARD, seed=1), lambda: SAC(7, 2, sac.DENSE_REWARD, seed=1)],
    ids=["ppo", "sac"],
)
def test_a_short_training_improves_success(make: Make) -> None:
    learner = make()
    before = success(learner.policy())
    figures = learner.learn_from(world(), 120)
    assert figures.episodes == learner.episodes == 120 and figures.decisions <= 120 * LookAtTask.horizon
    assert success(learner.policy()) > max(0.7, before + 0.5)


@both
def test_a_restored_training_goes_on_exactly_as_it_would_have(make: Make) -> None:
    first, file = make(), io.BytesIO()
    first.learn_from(world(), 20)
    torch.save(first.state(), file)
    figures = first.learn_from(world(seed=8), 20)
    file.seek(0)
    second = make()
    second.restore(torch.load(file, weights_only=True))
    assert second.episodes == 20
    assert second.learn_from(world(seed=9), 20) == figures
    for (weights, bias), (others, other_bias) in zip(first.policy().layers, second.policy().layers, strict=True):
        assert np.array_equal(weights, others) and np.array_equal(bias, other_bias)


@both
def test_a_state_is_not_changed_by_what_is_learned_later(make: Make) -> None:
    learner = make()
    learner.learn_from(world(), 10)
    state = learner.state()
    kept = {name: value.clone() for name, value in state["actor"].items()}
    learner.learn_from(world(), 10)
    assert all(torch.equal(state["actor"][name], value) for name, value in kept.items())


@both
def test_the_policy_does_what_the_learner_does_without_noise(make: Make) -> None:
    learner = make()
    learner.learn_from(world(), 10)
    observations = np.random.default_rng(0).normal(size=(20, 7)).astype(np.float32)
    actions = learner.act(observations, explore=False)
    policy = Policy.from_bytes(learner.policy().to_bytes())
    assert np.allclose(policy.act(observations), actions, atol=1e-5) and policy.meta["episodes"] == 10
    assert not np.allclose(learner.act(observations, explore=True), actions)


@both
def test_episodes_are_counted_one_by_one_on_few_robots_and_many(make: Make) -> None:
    for robots in (1, 3, 40):
        learner = make()
        assert learner.learn_from(world(robots), 13).episodes == 13


def test_ppo_keeps_no_more_than_its_buffer_and_its_last_updates() -> None:
    learner = PPO(7, 2, PPOPlan(buffer=150, epochs=1, kept_updates=8))
    learner.learn_from(world(), 50)
    assert 0 < sum(int(rollout["counts"].sum()) for rollout in learner.state()["kept"]) <= 150
