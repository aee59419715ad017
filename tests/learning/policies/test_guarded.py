"""Outside its experience a policy is replaced by the geometric controller, and that is told."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reachy_mind.learning.environments.environment import BatchEnvironment, Randomisation
from reachy_mind.learning.environments.look_at import Region
from reachy_mind.learning.evaluation.success import evaluate
from reachy_mind.learning.policies.experience import Experience
from reachy_mind.learning.policies.guarded import GuardedPolicy
from tests.learning.conftest import LookAt
from tests.learning.policies.conftest import Fitted, geometric

NARROW = Region((-20.0, 20.0), (-15.0, 5.0), (0.5, 0.9))
FAR = Region((-110.0, 110.0), (-35.0, 25.0), (0.35, 1.2))


def both(policy: GuardedPolicy, environment: BatchEnvironment) -> tuple[float, float]:
    """Success of the guarded policy and of the policy alone, in the same scenes."""
    return evaluate(policy, environment, 7).success, evaluate(policy.policy, environment, 7).success


@pytest.mark.parametrize("seed", range(3))
def test_far_outside_what_was_shown_it_succeeds_where_the_policy_alone_does_not(
    look_at: LookAt, fitted: Fitted, seed: int
) -> None:
    policy = GuardedPolicy(fitted(look_at(30, seed=seed, region=NARROW), seed), geometric)
    known, _ = both(policy, look_at(300, region=NARROW))
    assert known > 0.99 and policy.fallbacks / policy.decisions < 0.05
    far, alone = both(policy, look_at(300, region=FAR))
    assert far > 0.97 and far > alone + 0.05


@pytest.mark.parametrize("gain", [0.0, 0.6, 1.4])
def test_on_robots_that_move_otherwise_it_is_no_worse_than_the_policy_alone(
    look_at: LookAt, fitted: Fitted, gain: float
) -> None:
    policy = GuardedPolicy(fitted(look_at(100)), geometric)
    guarded, alone = both(policy, look_at(300, randomisation=Randomisation(gain=(gain, gain))))
    assert guarded >= alone


def test_a_row_that_is_no_number_falls_back_and_the_others_do_not(look_at: LookAt, fitted: Fitted) -> None:
    environment = look_at(3)
    policy = GuardedPolicy(fitted(look_at(100)), geometric)
    seen = environment.reset(1)
    seen[1, 3] = np.nan
    actions = policy.act(seen)
    assert list(policy.fell_back) == [False, True, False]
    np.testing.assert_allclose(actions[1], geometric(seen)[1], rtol=1e-6)
    np.testing.assert_array_equal(actions[[0, 2]], policy.policy.act(seen[[0, 2]]))
    seen[:] = np.nan
    np.testing.assert_array_equal(policy.act(seen), 0.0)


def test_it_says_how_many_decisions_were_the_controllers(look_at: LookAt, fitted: Fitted) -> None:
    seen = look_at(4).reset(1)
    policy = GuardedPolicy(fitted(look_at(100)), geometric)
    policy.act(seen)
    assert policy.told() == ""
    seen[0] = np.nan
    policy.act(seen)
    assert policy.told() == "1 of 8 decisions were outside what I practised: I used geometry there."
    policy.reset_counts()
    policy.act(seen[:1])
    assert policy.told() == "That was outside what I practised: I used geometry instead."


def test_without_an_experience_only_what_is_no_number_falls_back(look_at: LookAt, fitted: Fitted) -> None:
    policy = GuardedPolicy(replace(fitted(look_at(10)), experience=None), geometric)
    policy.act(np.array([[50.0] * 7, [np.inf] * 7], np.float32))
    assert list(policy.fell_back) == [False, True]


def test_the_experience_travels_in_the_file_of_the_policy(look_at: LookAt, fitted: Fitted) -> None:
    policy = fitted(look_at(10))
    again = type(policy).from_bytes(policy.to_bytes())
    seen = look_at(50, region=FAR).reset(3)
    assert isinstance(again.experience, Experience) and policy.experience is not None
    np.testing.assert_allclose(again.experience.distances(seen), policy.experience.distances(seen))
    assert type(policy).from_bytes(replace(policy, experience=None).to_bytes()).experience is None
