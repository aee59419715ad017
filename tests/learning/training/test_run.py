"""Training runs: needs torch (`make test-extras`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from reachy_mind.body.batch_kinematics import BatchKinematics
from reachy_mind.errors import AssetError, InvalidParameter
from reachy_mind.learning.training.curve import CurvePoint, LearningCurve

pytest.importorskip("torch")

from reachy_mind.learning.policies.policy import Policy
from reachy_mind.learning.training.run import TrainingPlan, TrainingRun, open_run

PLAN = TrainingPlan(algorithm="ppo", episodes=40, evaluate_every=10, evaluation_episodes=50)


class Interrupted(Exception):
    pass


@pytest.fixture
def reach(description: Path) -> BatchKinematics:
    return BatchKinematics(description / "kinematics_data.json")


def curve(folder: Path) -> list[tuple[int, float, float, float]]:
    points = LearningCurve(folder / "curve.jsonl").points()
    return [(point.episode, point.success, point.reward, point.violations) for point in points]


def untold(_: object) -> None:
    pass


def interrupt_at(episode: int) -> object:
    def told(point: CurvePoint) -> None:
        if point.episode == episode:
            raise Interrupted

    return told


def test_an_interrupted_run_has_the_curve_of_one_that_was_not(tmp_path: Path, reach: BatchKinematics) -> None:
    TrainingRun(tmp_path / "whole", PLAN, reach).run(untold, untold)
    with pytest.raises(Interrupted):
        TrainingRun(tmp_path / "cut", PLAN, reach).run(interrupt_at(30), untold)
    TrainingRun(tmp_path / "cut", PLAN, reach).run(untold, untold)
    assert curve(tmp_path / "cut") == curve(tmp_path / "whole")
    assert [point[0] for point in curve(tmp_path / "cut")] == [10, 20, 30, 40]


def test_a_corrupt_checkpoint_is_refused_and_the_one_before_used(tmp_path: Path, reach: BatchKinematics) -> None:
    TrainingRun(tmp_path / "whole", PLAN, reach).run(untold, untold)
    with pytest.raises(Interrupted):
        TrainingRun(tmp_path / "cut", PLAN, reach).run(interrupt_at(40), untold)
    latest = max((tmp_path / "cut" / "checkpoints").glob("*.checkpoint"))
    content = bytearray(latest.read_bytes())
    content[len(content) // 2] ^= 1
    latest.write_bytes(content)
    reasons: list[str] = []
    TrainingRun(tmp_path / "cut", PLAN, reach).run(untold, reasons.append)
    assert len(reasons) == 1 and "corrupt" in reasons[0]
    assert curve(tmp_path / "cut") == curve(tmp_path / "whole")


def test_ten_demonstrations_make_a_policy_that_is_kept(tmp_path: Path, reach: BatchKinematics) -> None:
    run = TrainingRun(tmp_path / "shown", TrainingPlan(episodes=10), reach)
    figures = run.run(untold, untold)
    assert figures.success > 0.97 and figures.violations < 0.01
    again = open_run(tmp_path / "shown", reach)
    assert again.evaluation(Policy.load(tmp_path / "shown" / "policy.npz")) == figures


def test_a_run_goes_on_with_its_own_plan_only(tmp_path: Path, reach: BatchKinematics) -> None:
    TrainingRun(tmp_path / "one", PLAN, reach)
    with pytest.raises(AssetError, match="another plan"):
        TrainingRun(tmp_path / "one", TrainingPlan(algorithm="ppo", seed=3), reach)
    with pytest.raises(InvalidParameter, match="two"):
        open_run(tmp_path / "two", reach)
