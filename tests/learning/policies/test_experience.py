"""What a policy was trained on: its own scenes are known, others and what is no number are not."""

from __future__ import annotations

import numpy as np
import pytest

from reachy_mind.learning.environments.look_at import Region
from reachy_mind.learning.policies.experience import Experience
from tests.learning.conftest import LookAt
from tests.learning.policies.conftest import shown

NARROW = Region((-20.0, 20.0), (-15.0, 5.0), (0.5, 0.9))
FAR = Region((70.0, 110.0), (-35.0, 25.0), (0.35, 1.2))


@pytest.mark.parametrize("episodes", [10, 100])
@pytest.mark.parametrize("region", [Region(), NARROW], ids=["whole", "narrow"])
def test_fresh_scenes_of_the_same_kind_are_known_and_far_ones_are_not(
    look_at: LookAt, episodes: int, region: Region
) -> None:
    trained = [Experience.of(shown(look_at(episodes, seed, region=region))[0]) for seed in range(5)]
    fresh, _ = shown(look_at(200, seed=99, region=region))
    far = look_at(200, seed=99, region=FAR).reset()
    assert np.mean([experience.outside(fresh).mean() for experience in trained]) < 0.04
    assert np.mean([experience.outside(far).mean() for experience in trained]) > 0.9


def test_what_never_varied_may_vary_a_little() -> None:
    seen = np.random.default_rng(0).normal(size=(200, 3))
    seen[:, 2] = 1.0
    experience = Experience.of(seen)
    assert list(experience.outside(np.array([[0.0, 0.0, 1.05], [0.0, 0.0, 0.0]]))) == [False, True]


def test_values_that_go_together_are_learned_together() -> None:
    along = np.linspace(-1.0, 1.0, 200)
    experience = Experience.of(np.stack([along, along], axis=1))
    assert list(experience.outside(np.array([[0.9, 0.9], [0.9, -0.9]]))) == [False, True]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e300])
def test_what_is_no_number_is_outside(value: float) -> None:
    experience = Experience.of(np.random.default_rng(0).normal(size=(50, 4)))
    assert list(experience.outside(np.array([[0.0, value, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]))) == [True, False]


@pytest.mark.parametrize("seen", [np.zeros((0, 3)), np.zeros(3), np.full((4, 2), np.nan)])
def test_there_is_no_experience_of_nothing(seen: np.ndarray) -> None:
    with pytest.raises(ValueError, match="needs observations"):
        Experience.of(seen)


def test_observations_of_another_size_are_refused() -> None:
    with pytest.raises(ValueError, match="rows of 3 values"):
        Experience.of(np.random.default_rng(0).normal(size=(50, 3))).outside(np.zeros((1, 4)))
