"""Training runs: needs torch (`make test-extras`)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from reachy_mind.errors import AssetError, InvalidParameter
from reachy_mind.learning.training.curve import CurvePoint, LearningCurve

pytest.importorskip("torch")

from reachy_mind.learning.policies.policy import Policy
from reachy_mind.learning.training.plan import TrainingPlan
from reachy_mind.learning.training.run import RunWatch, TrainingRun, open_run
from reachy_mind.learning.training.world import PracticeWorld

PLAN = TrainingPlan(algorithm="ppo", episodes=40, evaluate_every=10, evaluation_episodes=50)


class Interrupted(Exception):
    pass


@pytest.fixture
def world(description: Path, tmp_path: Path) -> PracticeWorld:
    return PracticeWorld(description, tmp_path / "cache")


def curve(folder: Path) -> list[tuple[int, float, float, float]]:
    points = LearningCurve(folder / "curve.jsonl").points()
    return [(point.episode, point.success, point.reward, point.violations) for point in points]


def interrupt_at(episode: int) -> Callable[[CurvePoint], None]:
    def told(point: CurvePoint) -> None:
        if point.episode == episode:
            raise Interrupted

    return told


def test_an_interrupted_run_has_the_curve_of_one_that_was_not(tmp_path: Path, world: PracticeWorld) -> None:
    TrainingRun(tmp_path / "whole", PLAN, world).run()
    with pytest.raises(Interrupted):
        TrainingRun(tmp_path / "cut", PLAN, world).run(RunWatch(told=interrupt_at(30)))
    TrainingRun(tmp_path / "cut", PLAN, world).run()
    assert curve(tmp_path / "cut") == curve(tmp_path / "whole")
    assert [point[0] for point in curve(tmp_path / "cut")] == [10, 20, 30, 40]


def test_a_corrupt_checkpoint_is_refused_and_the_one_before_used(tmp_path: Path, world: PracticeWorld) -> None:
    TrainingRun(tmp_path / "whole", PLAN, world).run()
    with pytest.raises(Interrupted):
        TrainingRun(tmp_path / "cut", PLAN, world).run(RunWatch(told=interrupt_at(40)))
    latest = max((tmp_path / "cut" / "checkpoints").glob("*.checkpoint"))
    content = bytearray(latest.read_bytes())
    content[len(content) // 2] ^= 1
    latest.write_bytes(content)
    reasons: list[str] = []
    TrainingRun(tmp_path / "cut", PLAN, world).run(RunWatch(refused=reasons.append))
    assert len(reasons) == 1 and "corrupt" in reasons[0]
    assert curve(tmp_path / "cut") == curve(tmp_path / "whole")


def test_ten_demonstrations_make_a_policy_that_is_kept(tmp_path: Path, world: PracticeWorld) -> None:
    run = TrainingRun(tmp_path / "shown", TrainingPlan(episodes=10), world)
    figures = run.run()
    assert figures.success > 0.97 and figures.violations < 0.01
    again = open_run(tmp_path / "shown", world)
    assert again.evaluation(Policy.load(tmp_path / "shown" / "policy.npz")) == figures


def test_a_run_goes_on_with_its_own_plan_only(tmp_path: Path, world: PracticeWorld) -> None:
    TrainingRun(tmp_path / "one", PLAN, world)
    with pytest.raises(AssetError, match="another plan"):
        TrainingRun(tmp_path / "one", TrainingPlan(algorithm="ppo", seed=3), world)
    with pytest.raises(InvalidParameter, match="two"):
        open_run(tmp_path / "two", world)
