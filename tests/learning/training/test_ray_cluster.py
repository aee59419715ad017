"""Training on two local workers of Ray: needs the extras `cluster` and `learning` (`make test-extras`)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("ray")
pytest.importorskip("torch")

from reachy_mind.errors import InvalidParameter, NotReady
from reachy_mind.learning.training.plan import TrainingPlan
from reachy_mind.learning.training.ray_cluster import RayBody, connected, sweep
from reachy_mind.learning.training.run import TrainingRun
from reachy_mind.learning.training.world import PracticeWorld
from tests.waiting import until_sync

pytestmark = [pytest.mark.process, pytest.mark.slow, pytest.mark.timeout(300), pytest.mark.filterwarnings("ignore")]
PLAN = TrainingPlan(algorithm="ppo", episodes=20, evaluate_every=10, evaluation_episodes=50, robots=5)


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    with connected(2) as module:
        yield module


@pytest.fixture
def world(description: Path, tmp_path: Path) -> PracticeWorld:
    return PracticeWorld(description, tmp_path / "cache")


def test_robots_in_workers_move_as_those_in_this_process(ray: Any, world: PracticeWorld) -> None:
    there = world.environment("look_at", 5, body=RayBody(ray, world, "kinematic", 5, 2))
    here = world.environment("look_at", 5)
    assert np.array_equal(there.reset(3), here.reset(3))
    for _ in range(15):
        one, other = there.step(there.expert()), here.step(here.expert())
        assert np.array_equal(one.observations, other.observations) and np.array_equal(one.success, other.success)
    there.close()


def test_a_run_on_workers_has_the_same_curve(ray: Any, world: PracticeWorld, tmp_path: Path) -> None:
    body = RayBody(ray, world, "kinematic", 5, 2)
    there = TrainingRun(tmp_path / "there", PLAN, world, body=body).run()
    assert there == TrainingRun(tmp_path / "here", PLAN, world).run()


def test_a_worker_that_dies_ends_the_training_with_a_clear_error(ray: Any, world: PracticeWorld) -> None:
    body = RayBody(ray, world, "kinematic", 4, 2)
    ray.kill(body._actors[1])
    with pytest.raises(NotReady, match=r"worker of the training has ended: .* was killed or crashed"):
        until_sync(lambda: body.move(body.poses.copy()))  # Ray ends it a moment later
    with pytest.raises(InvalidParameter, match="3 workers for 2 robots"):
        RayBody(ray, world, "kinematic", 2, 3)


def test_several_seeds_are_trained_at_a_time(ray: Any, world: PracticeWorld, tmp_path: Path) -> None:
    plans = {f"seed-{seed}": PLAN.model_copy(update={"seed": seed}) for seed in (1, 2)}
    told: list[str] = []
    found = sweep(world, tmp_path / "runs", plans, lambda name, _: told.append(name))
    assert sorted(told) == sorted(found) == ["seed-1", "seed-2"]
    alone = TrainingRun(tmp_path / "alone", plans["seed-1"], world).run()
    assert found["seed-1"] == alone.success and (tmp_path / "runs" / "seed-2" / "policy.npz").is_file()
