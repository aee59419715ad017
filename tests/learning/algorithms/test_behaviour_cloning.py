"""Learning from demonstrations: needs torch (`make test-extras`)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from reachy_mind.learning.environments.environment import DIVERSE, BatchEnvironment
from reachy_mind.learning.environments.look_at import mirrored
from reachy_mind.learning.environments.scenes import Region
from reachy_mind.learning.evaluation.success import evaluate

pytest.importorskip("torch")

from reachy_mind.learning.algorithms.behaviour_cloning import DAgger, clone, demonstrated

LookAt = Callable[..., BatchEnvironment]
NARROW = Region((-25.0, 25.0), (-30.0, -10.0), (0.4, 0.9))


def test_ten_demonstrations_are_enough_and_one_is_not(look_at: LookAt) -> None:
    success = {
        count: evaluate(clone(*mirrored(*demonstrated(look_at(count), count))), look_at(400), 90).success
        for count in (1, 10)
    }
    assert success[10] > 0.97 > success[1] + 0.2


def test_what_was_shown_in_a_narrow_region_serves_in_the_whole_room(look_at: LookAt) -> None:
    policy = clone(*mirrored(*demonstrated(look_at(10, region=NARROW), 10)))
    assert evaluate(policy, look_at(400), 91).success > 0.9
    assert evaluate(policy, look_at(400, randomisation=DIVERSE), 91).success > 0.9


def test_an_expert_who_corrects_helps(look_at: LookAt) -> None:
    learner = DAgger(*mirrored(*demonstrated(look_at(2), 2)))
    before = evaluate(learner.policy(), look_at(400), 92).success
    figures = learner.learn_from(look_at(4), 8)
    assert figures.episodes == 8
    assert evaluate(learner.policy(), look_at(400), 92).success > max(before, 0.9)
