"""Studies as a whole, in small: need torch (`make test-extras`)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from reachy_mind.errors import AssetError
from reachy_mind.learning.evaluation.studies import (
    STUDIES,
    AdaptationStudy,
    DemonstrationStudy,
    FeedbackStudy,
    ForgettingStudy,
    PracticeStudy,
)
from reachy_mind.learning.training.world import PracticeWorld

torch = pytest.importorskip("torch")

from reachy_mind.learning.evaluation.study_runner import all_stored, measure, measured  # noqa: E402

FEW = 100


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture
def world(description: Path, tmp_path: Path) -> PracticeWorld:
    return PracticeWorld(description, tmp_path / "compiled")


def test_more_demonstrations_teach_more(world: PracticeWorld) -> None:
    figures = measured(DemonstrationStudy(counts=(1, 10), held_out=FEW), world, 0).figures
    assert (figures["usual_10"] or 0) > 0.95 > (figures["usual_1"] or 0)
    assert (figures["unseen_guarded_10"] or 0) >= (figures["unseen_10"] or 0)
    assert (figures["unseen_fallbacks_10"] or 0) > (figures["usual_fallbacks_10"] or 0)


def test_practice_has_a_curve_and_says_when_it_was_enough(world: PracticeWorld) -> None:
    study = PracticeStudy(episodes=100, evaluate_every=20, held_out=FEW)
    found = measured(study, world, 1)
    curve = dict(found.curves["success"])
    assert list(curve) == [0, 20, 40, 60, 80, 100]
    first = found.figures["first_95"]
    assert first is not None and curve[int(first)] >= 0.95
    assert found.figures["steady_95"] is None or (found.figures["steady_95"] or 0) >= first
    assert 0.0 <= (found.figures["training_violations"] or 0.0) < 0.05


def test_feedback_alone_teaches_and_pleases(world: PracticeWorld) -> None:
    told = measured(FeedbackStudy(episodes=160, evaluate_every=80, held_out=FEW), world, 2).figures
    without = measured(FeedbackStudy(episodes=160, evaluate_every=80, held_out=FEW, feedback=False), world, 2).figures
    assert (told["usual"] or 0) > (told["before"] or 0) + 0.4
    assert (told["satisfaction_after"] or 0) > (told["satisfaction_before"] or 0) + 1
    assert (told["utterances"] or 0) > 100 and without["utterances"] == 0
    assert (without["usual"] or 0) < 0.3


def test_a_policy_adapts_to_a_weak_and_late_robot(world: PracticeWorld) -> None:
    figures = measured(AdaptationStudy(episodes=(10,), held_out=FEW), world, 0).figures
    assert (figures["after_10"] or 0) > (figures["before"] or 0) + 0.2
    assert figures["gain"] == pytest.approx(0.5, abs=0.1)


def test_a_new_task_costs_less_of_the_old_one_when_it_is_rehearsed(world: PracticeWorld) -> None:
    study = ForgettingStudy(algorithm="ppo", episodes=80, evaluate_every=40, held_out=FEW)
    figures = measured(study, world, 0).figures
    assert (figures["first_before"] or 0) > 0.8
    assert (figures["lost_rehearsed"] or 0) < (figures["lost_alone"] or 0)


@pytest.mark.process
def test_what_was_measured_is_not_measured_again(world: PracticeWorld, tmp_path: Path) -> None:
    study = DemonstrationStudy(counts=(1,), held_out=10)
    told: list[tuple[int, int]] = []
    for seeds in (range(1), range(2)):
        (found,) = measure([study], seeds, world, tmp_path, 1, lambda _, result, left: told.append((result.seed, left)))
        assert [each.seed for each in found.seeds] == list(seeds)
    assert told == [(0, 0), (1, 0)]
    other = study.model_copy(update={"held_out": 11})
    (anew,) = measure([other], range(1), world, tmp_path, 1, lambda _, result, left: told.append((result.seed, left)))
    assert len(told) == 3 and anew.study == other
    (file,) = tmp_path.glob("*.json")
    file.write_text("{")
    with pytest.raises(AssetError, match="demonstrations-look_at"):
        all_stored(tmp_path)


def test_every_study_has_a_name_of_its_own() -> None:
    names = [study.name for study in STUDIES]
    assert len(set(names)) == len(names)
