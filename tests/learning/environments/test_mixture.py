"""Several tasks at once: each robot has its own, and one policy knows which."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from reachy_mind.body.batch_kinematics import BatchKinematics
from reachy_mind.errors import InvalidParameter
from reachy_mind.learning.environments.bodies import KinematicBody
from reachy_mind.learning.environments.catalogue import TASKS, task_kind
from reachy_mind.learning.environments.environment import BatchEnvironment
from reachy_mind.learning.environments.mixture import mixed
from reachy_mind.learning.environments.safety import SafetyFilter
from reachy_mind.learning.evaluation.success import evaluate

ALL = "+".join(TASKS)
ROBOTS = 100


class Controller:
    def __init__(self, act: object) -> None:
        self.act = act


@pytest.fixture(scope="module")
def safety(description: Path) -> SafetyFilter:
    return SafetyFilter(BatchKinematics(description / "kinematics_data.json"))


def test_the_robots_have_one_task_each_and_all_are_done(safety: SafetyFilter) -> None:
    kind = task_kind(ALL)
    environment = BatchEnvironment(kind.make(ROBOTS, 1.0, "usual"), KinematicBody(ROBOTS), safety)
    seen = environment.reset(1)
    assert seen.shape == (ROBOTS, 9 + len(TASKS)) and kind.observation_size == seen.shape[1]
    assert (seen[:, -len(TASKS) :].sum(axis=0) == ROBOTS / len(TASKS)).all()
    figures = evaluate(Controller(kind.control), environment, 1)  # type: ignore[arg-type]
    assert figures.success > 0.95 and figures.violations < 0.01


def test_in_a_mixture_a_task_is_as_it_is_alone(safety: SafetyFilter) -> None:
    alone = BatchEnvironment(TASKS["look_at"].make(50, 1.0, "usual"), KinematicBody(50), safety)
    kind = mixed([TASKS["beat"], TASKS["look_at"]], practised=["look_at"])
    among = BatchEnvironment(kind.make(50, 1.0, "usual"), KinematicBody(50), safety)
    np.testing.assert_array_equal(alone.reset(4), among.reset(4)[:, :7])
    for _ in range(30):
        one, other = alone.step(alone.expert()), among.step(among.expert())
        np.testing.assert_allclose(one.observations, other.observations[:, :7], atol=1e-6)
        np.testing.assert_array_equal(one.success, other.success)
        np.testing.assert_array_equal(one.over, other.over)
    assert (other.observations[:, 7:] == [0.0, 1.0]).all()


def test_each_episode_has_the_length_of_its_task(safety: SafetyFilter) -> None:
    kind = task_kind("look_at+beat")
    environment = BatchEnvironment(kind.make(2, 1.0, "usual"), KinematicBody(2), safety)
    environment.reset(1)
    overs = [environment.step(np.zeros((2, 2), np.float32)).over for _ in range(60)]
    looking, nodding = np.array(overs).T
    assert np.flatnonzero(looking).tolist() == [11, 23, 35, 47, 59] and np.flatnonzero(nodding).tolist() == [59]


def test_mirrored_examples_stay_in_their_task(safety: SafetyFilter) -> None:
    kind = task_kind(ALL)
    environment = BatchEnvironment(kind.make(ROBOTS, 1.0, "usual"), KinematicBody(ROBOTS), safety)
    seen = environment.reset(2)
    assert kind.mirror is not None
    both, actions = kind.mirror(seen, kind.control(seen))
    assert len(both) == ROBOTS + ROBOTS * 3 // 4, "a beat has no left and right"
    np.testing.assert_allclose(kind.control(both), actions, atol=1e-6)


def test_a_mixture_names_what_is_wrong() -> None:
    assert task_kind("look_at+beat").purpose == "look at a thing, nod on the beat"
    for name in ("look_at+juggle", "look_at+look_at", "+"):
        with pytest.raises(InvalidParameter):
            task_kind(name)
    with pytest.raises(InvalidParameter, match="beat"):
        mixed([TASKS["look_at"]], practised=["beat"])
