"""A robot that aims badly learns to look at things from words; without directions in them it does not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from reachy_mind.feedback.corrections import read_corrections
from reachy_mind.learning.look_at.experiment import Experiment, LookAtPlan, Miscalibration
from reachy_mind.learning.look_at.learners import AimLearner, CorrectionLearner, NoLearner, RewardLearner
from reachy_mind.learning.look_at.person import PRAISE, CorrectingPerson, Manners, load_phrases
from reachy_mind.learning.look_at.scene import Miss, random_scenes
from reachy_mind.learning.look_at.worlds import KinematicWorld

FAR_LEFT, BELOW, HIT = Miss(20.0, 1.0, 20.0), Miss(0.5, -6.0, 6.0), Miss(1.0, -1.0, 1.4)
EXACT = Manners(wrong_directions=0.0, size_noise=0.0)


def outcomes(learner: Callable[[np.random.Generator], AimLearner], seeds: int) -> list[int | None]:
    return [Experiment(KinematicWorld(), learner, seed, LookAtPlan()).run().reached for seed in range(seeds)]


def test_it_learns_to_look_at_the_apple_from_at_most_60_utterances() -> None:
    reached = outcomes(CorrectionLearner, 10)
    assert sum(each is not None for each in reached) >= 9, reached


def test_the_reward_alone_is_not_enough() -> None:
    assert outcomes(RewardLearner, 2) == [None, None]


def test_an_experiment_is_the_same_again_with_its_seed() -> None:
    one, other = (Experiment(KinematicWorld(), CorrectionLearner, 4, LookAtPlan()).run() for _ in range(2))
    assert one == other and one.reached == one.utterances


def test_who_does_not_learn_keeps_missing() -> None:
    outcome = Experiment(KinematicWorld(), NoLearner, 0, LookAtPlan(utterances=5)).run()
    assert outcome.reached is None and outcome.utterances == 5 and outcome.success < 0.5


def test_a_right_guess_hits_but_for_the_parallax_of_the_camera() -> None:
    world, right = KinematicWorld(), Miscalibration((1.0, 1.0), (0.0, 0.0))
    for scene in random_scenes(np.random.default_rng(3), 20, world):
        guess = right.guess(world.situation(scene))
        miss = world.look(scene, guess.left, guess.up)
        assert abs(miss.left) < 1 and -11 < miss.up < -1, "the camera is above the pivot of the head"


@pytest.mark.parametrize(
    ("miss", "axis", "sign", "size"), [(FAR_LEFT, "yaw", 1, "large"), (BELOW, "pitch", -1, "small")]
)
def test_a_person_names_the_worse_axis_its_direction_and_a_rough_size(
    miss: Miss, axis: str, sign: int, size: str
) -> None:
    person = CorrectingPerson(np.random.default_rng(1), {"en": load_phrases()["en"]}, EXACT)
    for _ in range(10):
        (read,) = read_corrections(person.say(miss))
        assert (read.axis, read.sign, read.size) == (axis, sign, size)


def test_a_person_praises_a_hit_and_is_wrong_about_one_direction_in_ten() -> None:
    person = CorrectingPerson(np.random.default_rng(1), {"en": load_phrases()["en"]}, Manners())
    assert person.say(HIT) in load_phrases()["en"][PRAISE]
    signs = [read_corrections(person.say(FAR_LEFT))[0].sign for _ in range(300)]
    assert 15 <= signs.count(-1) <= 50


def test_every_language_has_words_for_everything() -> None:
    phrases = load_phrases()
    meanings = set(phrases["en"])
    assert set(phrases) == {"en", "de", "fr", "es"} and len(meanings) == 17
    assert all(set(each) == meanings for each in phrases.values())
