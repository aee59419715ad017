"""Training runs: needs torch (`make test-extras`)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from reachy_mind.errors import AssetError, InvalidParameter
from reachy_mind.learning.training.curve import CurvePoint, LearningCurve

pytest.importorskip("torch")

from reachy_mind.learning.policies.policy import Policy
from reachy_mind.learning.training.listing import read_run
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


def test_a_rollback_brings_back_the_policy_and_the_curve_of_before(tmp_path: Path, world: PracticeWorld) -> None:
    TrainingRun(tmp_path / "short", PLAN.model_copy(update={"episodes": 30}), world).run()
    run = TrainingRun(tmp_path / "long", PLAN, world)
    run.run()
    assert run.rollback().info.episode == 30
    assert curve(tmp_path / "long") == curve(tmp_path / "short")
    run.run()
    whole = TrainingRun(tmp_path / "whole", PLAN, world)
    whole.run()
    assert curve(tmp_path / "long") == curve(tmp_path / "whole")


def test_a_policy_knows_what_it_was_trained_on(tmp_path: Path, world: PracticeWorld) -> None:
    TrainingRun(tmp_path / "one", PLAN, world).run()
    policy = Policy.load(tmp_path / "one" / "policy.npz")
    seen = world.environment("look_at", 50, seed=4).reset()
    assert policy.experience is not None
    assert policy.experience.outside(seen).mean() < 0.1 and policy.experience.outside(seen + 5.0).all()
    assert policy.meta["plan"]["task"] == "look_at"


def test_a_curriculum_begins_with_easy_scenes(tmp_path: Path, world: PracticeWorld) -> None:
    plan = PLAN.model_copy(update={"curriculum": True, "episodes": 100, "evaluate_every": 20})
    TrainingRun(tmp_path / "curriculum", plan, world).run()
    TrainingRun(tmp_path / "plain", plan.model_copy(update={"curriculum": False}), world).run()
    easier, plain = (curve(tmp_path / name)[0] for name in ("curriculum", "plain"))
    assert easier != plain
    assert curve(tmp_path / "curriculum")[-1][1] > 0.8


def test_demonstrations_of_people_take_the_place_of_the_expert(tmp_path: Path, world: PracticeWorld) -> None:
    seen = np.random.default_rng(0).normal(size=(400, 7)).astype(np.float32)
    away = np.clip(-seen[:, :2], -1, 1)  # somebody shows how to look away
    run = TrainingRun(tmp_path / "shown", TrainingPlan(demonstrations="mine"), world, shown=(seen, away))
    assert run.run().success < 0.1


def test_the_curve_is_there_for_tensorboard(tmp_path: Path, world: PracticeWorld) -> None:
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    TrainingRun(tmp_path / "one", PLAN, world).run()
    events = EventAccumulator(str(tmp_path / "one" / "tensorboard"))
    events.Reload()
    written = [(event.step, round(event.value, 5)) for event in events.Scalars("evaluation/success")]
    assert written == [(point[0], round(point[1], 5)) for point in curve(tmp_path / "one")]


def test_nothing_to_roll_back_is_refused_and_leaves_the_run_as_it_was(tmp_path: Path, world: PracticeWorld) -> None:
    run = TrainingRun(tmp_path / "cloned", TrainingPlan(episodes=3, evaluation_episodes=10), world)
    run.run()
    with pytest.raises(AssetError):
        run.rollback()
    assert read_run(tmp_path / "cloned").state == "done"


def test_a_run_that_went_back_has_to_go_on(tmp_path: Path, world: PracticeWorld) -> None:
    run = TrainingRun(tmp_path / "one", PLAN, world)
    run.run()
    run.rollback()
    assert read_run(tmp_path / "one").state == "interrupted"
    run.run()
    assert read_run(tmp_path / "one").state == "done"


def test_a_task_that_there_is_not_leaves_no_run(tmp_path: Path, world: PracticeWorld) -> None:
    with pytest.raises(InvalidParameter, match="nonsense"):
        TrainingRun(tmp_path / "runs" / "one", TrainingPlan(task="look_at+nonsense"), world)
    assert not (tmp_path / "runs").exists()
