"""GAIL, TAMER, credits and demonstrations in every learner: need torch (`make test-extras`)."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from reachy_mind.learning.algorithms.practice import Credit, PractisedEpisode
from reachy_mind.learning.environments.environment import BatchEnvironment
from reachy_mind.learning.environments.look_at import mirrored
from reachy_mind.learning.evaluation.success import evaluate

torch = pytest.importorskip("torch")

from reachy_mind.learning.algorithms.behaviour_cloning import DAgger, demonstrated  # noqa: E402
from reachy_mind.learning.algorithms.gail import GAIL  # noqa: E402
from reachy_mind.learning.algorithms.ppo import PPO, PPOPlan  # noqa: E402
from reachy_mind.learning.algorithms.sac import SAC, SACPlan  # noqa: E402
from reachy_mind.learning.algorithms.tamer import TAMER, TAMERPlan  # noqa: E402
from reachy_mind.learning.training.simulated_trainer import SimulatedTrainer  # noqa: E402

LookAt = Callable[..., BatchEnvironment]
HELD_OUT = 77


@pytest.fixture(autouse=True)
def one_thread() -> Any:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def test_gail_learns_from_demonstrations_without_the_reward_of_the_task(look_at: LookAt) -> None:
    learner = GAIL(*mirrored(*demonstrated(look_at(10), 10)), seed=1)
    before = evaluate(learner.policy(), look_at(200), HELD_OUT).success
    learner.learn_from(look_at(10), 200)
    assert evaluate(learner.policy(), look_at(200), HELD_OUT).success > max(before + 0.4, 0.6)


def test_tamer_learns_from_feedback_alone_and_nothing_without_it(look_at: LookAt) -> None:
    success = {}
    for judge in (None, SimulatedTrainer(3)):
        learner = TAMER(7, 2, seed=1)
        learner.learn_from(look_at(10), 160, judge)
        success[judge is None] = evaluate(learner.policy(), look_at(200), HELD_OUT).success
    assert success[False] > 0.7 > success[True] + 0.3


MAKERS: dict[str, Callable[[BatchEnvironment], Any]] = {
    "dagger": lambda world: DAgger(*demonstrated(world, 2)),
    "gail": lambda world: GAIL(*demonstrated(world, 4), seed=2),
    "ppo": lambda _: PPO(7, 2, PPOPlan(epochs=2, kept_updates=2), seed=2),
    "sac": lambda _: SAC(7, 2, SACPlan(starts=16, updates=1, batch=16, buffer=150), seed=2),
    "tamer": lambda _: TAMER(7, 2, TAMERPlan(updates=4), seed=2),
}
every = pytest.mark.parametrize("name", MAKERS)


def weights(learner: Any) -> list[Any]:
    return [array for layer in learner.policy().layers for array in layer]


@every
def test_a_restored_learner_goes_on_exactly_with_feedback_and_demonstrations(name: str, look_at: LookAt) -> None:
    first, file, shown = MAKERS[name](look_at(4)), io.BytesIO(), demonstrated(look_at(2, seed=5), 2)
    first.learn_from(look_at(4), 8, SimulatedTrainer(1))
    first.show(*shown)
    torch.save(first.state(), file)
    first.learn_from(look_at(4, seed=8), 8, SimulatedTrainer(1))
    file.seek(0)
    second = MAKERS[name](look_at(4))
    second.restore(torch.load(file, weights_only=True))
    second.learn_from(look_at(4, seed=9), 8, SimulatedTrainer(1))
    assert all(np.array_equal(one, other) for one, other in zip(weights(first), weights(second), strict=True))


@pytest.mark.parametrize("name", ["ppo", "sac", "tamer"])
def test_feedback_changes_what_is_learned_also_when_it_is_late(name: str, look_at: LookAt) -> None:
    def told(*credits_: Credit) -> Callable[..., list[Credit]]:
        return lambda episodes: list(credits_) if episodes[0].number >= 8 else []

    learned = {}
    for what, judge in {
        "nothing": told(),
        "late": told(Credit(3, 1.0), Credit(4, -1.0)),
        "elsewhere": told(Credit(3, -1.0), Credit(4, 1.0)),
        "too late": told(Credit(10_000, 1.0)),
    }.items():
        learner = MAKERS[name](look_at(4))
        learner.learn_from(look_at(4), 20, judge)
        learned[what] = np.concatenate([array.ravel() for array in weights(learner)])
    assert not np.array_equal(learned["late"], learned["nothing"])
    assert not np.array_equal(learned["late"], learned["elsewhere"])
    assert np.array_equal(learned["too late"], learned["nothing"])


@pytest.mark.parametrize("make", [lambda: PPO(7, 2, seed=2), lambda: MAKERS["sac"](None)], ids=["ppo", "sac"])
def test_demonstrations_in_mid_training_are_imitated(make: Callable[[], Any], look_at: LookAt) -> None:
    seen, done = demonstrated(look_at(20, seed=5), 20)
    apart = {}
    for shown in (False, True):
        learner = make()
        learner.learn_from(look_at(4), 8)
        if shown:
            learner.show(seen, done)
        learner.learn_from(look_at(4), 40)
        apart[shown] = float(((learner.policy().act(seen) - done) ** 2).mean())
    assert apart[True] < 0.5 * apart[False]


def test_the_judge_sees_each_episode_once_with_its_progress(look_at: LookAt) -> None:
    seen: list[PractisedEpisode] = []
    MAKERS["ppo"](look_at(3)).learn_from(look_at(3), 7, lambda episodes: seen.extend(episodes) or [])
    assert [episode.number for episode in seen] == list(range(7))
    assert all(1 <= len(episode.progress) <= 12 for episode in seen)


def test_exploration_is_cautious(look_at: LookAt) -> None:
    """A wide exploration near the limits of the head would often be unsafe."""
    learner = PPO(7, 2, PPOPlan(deviation=1.0, epochs=1), seed=4)
    assert learner.learn_from(look_at(10), 40).violations < 0.01
