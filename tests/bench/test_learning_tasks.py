"""Tasks 11 to 15 of the benchmark: cases that can be run, checks that can fail, and references that do."""

from __future__ import annotations

import math
import time
from pathlib import Path

import numpy as np
import pytest

from reachy_mind.bench import lesson_cases
from reachy_mind.bench.exploration_cases import ExplorationOutcome, exploration_failures, explored
from reachy_mind.bench.learning_cases import Exploration, Shift, lesson_failures, measured
from reachy_mind.bench.learning_cases import learning_tasks as written
from reachy_mind.bench.learning_tasks import left_out
from reachy_mind.bench.live_training import LiveEvidence, live_failures
from reachy_mind.bench.shift_cases import shift_failures, shift_outcome
from reachy_mind.bench.skill_cases import pointing_failures, unguarded, untrained
from reachy_mind.bench.task_cases import Evidence, Sample
from reachy_mind.bench.task_tally import TaskTally
from reachy_mind.body.pose import AWAKE, Pose
from reachy_mind.brains.selection import reflex
from reachy_mind.config.configuration import load
from reachy_mind.errors import MissingExtra
from reachy_mind.feedback.corrections import read_correction
from reachy_mind.feedback.meant import read_meant
from reachy_mind.learning.environments.catalogue import TASKS, task_kind
from reachy_mind.learning.policies.experience import Experience
from reachy_mind.learning.policies.guarded import GuardedPolicy
from reachy_mind.learning.policies.policy import Policy
from reachy_mind.learning.training.world import PracticeWorld


@pytest.fixture
def world(description: Path, compiled: Path) -> PracticeWorld:
    return PracticeWorld(description, compiled)


def trace(*degrees: float, axis: str = "yaw") -> list[Sample]:
    """A head that was at each angle for half a second, seen twenty times a second."""
    return [
        Sample(place / 2 + at / 20, Pose(**{axis: math.radians(angle)}))
        for place, angle in enumerate(degrees)
        for at in range(10)
    ]


def test_five_tasks_with_eight_cases_each_and_a_reference_for_every_request() -> None:
    assert [each.task for each in written()] == [11, 12, 13, 14, 15]
    assert all(each.cases >= 8 for each in written())
    assert all(each.reference for each in written() if each.requests)
    assert sum(len(each.shown) for each in written()) >= 8
    tasks = {case.task for each in written() for case in (*each.shifts, *each.explorations, *each.live)}
    assert tasks <= TASKS.keys()


def test_what_people_correct_is_understood_and_what_they_ask_differs_in_the_morning() -> None:
    for lesson in (lesson for each in written() for lesson in each.lessons):
        assert any(read_correction(said) or read_meant(said) for said in lesson.correct), lesson.correct
        assert lesson.later != lesson.ask
        assert lesson.change[0] < lesson.change[1] and not lesson.change[0] <= 0.0 <= lesson.change[1]


@pytest.mark.parametrize(
    ("quantity", "seen", "value"),
    [
        ("yaw", trace(10, 30), 30),
        ("pitch", trace(10, -5, axis="pitch"), -5),
        ("nods", trace(0, 8, 0, 8, 0, axis="pitch"), 2),
        ("shakes", trace(0, 8, 0), 1),
        ("swings", trace(0, 60, 0, axis="antenna_left"), 1),
        ("nod_size", trace(-4, 8, axis="pitch"), 12),
    ],
)
def test_what_is_measured_of_a_turn(quantity, seen, value) -> None:  # type: ignore[no-untyped-def]
    assert measured(quantity, Evidence(trace=seen)) == pytest.approx(value)


def test_a_slow_movement_takes_longer_than_a_fast_one() -> None:
    fast, slow = (Evidence(trace=trace(0, *range(0, 20, step), 20, 20, 20)) for step in (5, 2))
    assert measured("moving_s", fast) < measured("moving_s", slow) < 20 / 2


def test_a_change_in_the_wrong_direction_or_by_too_much_is_a_failure() -> None:
    lesson = next(each for each in written()[0].lessons if each.measure == "pitch" and each.change[0] > 0)
    assert lesson_failures(lesson, 20.0, 25.0) == []
    for later in (15.0, 20.0, 45.0):
        assert len(lesson_failures(lesson, 20.0, later)) == 1


def test_the_camera_has_to_point_at_the_thing_in_the_end() -> None:
    assert pointing_failures("duck", Evidence(off={"duck": [30.0, 2.0]})) == []
    assert pointing_failures("duck", Evidence(off={"duck": [2.0, 30.0]})) != []
    assert pointing_failures("duck", Evidence()) != []


def live(*poses: Pose, practises: bool = False) -> LiveEvidence:
    """The last of the poses were seen after the stop."""
    seen = [Sample(at / 50, pose) for at, pose in enumerate(poses)]
    return LiveEvidence(seen, stopped_at=seen[-1].at - 2.0, practises=practises)


def test_a_training_that_is_stopped_has_to_stop_and_to_keep_the_limits() -> None:
    turning = [Pose(yaw=at / 100) for at in range(50)]
    assert live_failures(live(*turning, *[turning[-1]] * 100)) == []
    assert live_failures(live(*turning, *[turning[-1]] * 100, practises=True)) == ["still practises"]
    assert "after the stop" in live_failures(live(*(Pose(yaw=at / 200) for at in range(150))))[0]
    assert "too fast" in live_failures(live(*[AWAKE] * 20, *[Pose(yaw=0.9, body_yaw=0.5)] * 150))[0]
    assert live_failures(live(*[Pose(yaw=1.5)] * 150)) == ["the neck was turned too far"]
    assert live_failures(live(*[Pose(pitch=1.0)] * 150)) == ["pitch was beyond its range"]


def test_without_the_filter_unsafe_targets_reach_the_body(world: PracticeWorld) -> None:
    case = Exploration(task="find_object", algorithm="ppo", episodes=10, wild=True)
    kept, lost = (explored(world, case, filtered=filtered) for filtered in (True, False))
    assert exploration_failures(case, kept) == [] and kept.targets == lost.targets > 0
    assert "targets that reached the body" in exploration_failures(case, lost)[0]


def test_a_training_may_have_few_violations() -> None:
    case = Exploration(task="look_at", algorithm="ppo", episodes=10)
    assert exploration_failures(case, ExplorationOutcome(1000, 0, 0.004)) == []
    assert len(exploration_failures(case, ExplorationOutcome(1000, 0, 0.02))) == 1
    assert len(exploration_failures(case, ExplorationOutcome(1000, 1, 0.02))) == 2


def policy() -> Policy:
    rng = np.random.default_rng(1)
    layers = [(rng.normal(size=(7, 2)).astype(np.float32), np.zeros(2, np.float32))]
    known = Experience.of(rng.normal(size=(50, 7)) * 0.1)
    return Policy(layers, np.zeros(7, np.float32), np.ones(7, np.float32), experience=known)


def test_the_references_of_skills_lack_the_training_or_the_fallback() -> None:
    far, trained = np.full((1, 7), 3.0, np.float32), policy()
    control = task_kind("look_at").control
    assert GuardedPolicy(trained, control).act(far) == pytest.approx(control(far))
    assert GuardedPolicy(unguarded(trained), control).act(far) == pytest.approx(trained.act(far))
    near = np.full((1, 7), 0.1, np.float32)
    assert not np.allclose(untrained(trained).act(near), trained.act(near))
    assert untrained(trained).experience is trained.experience


def test_without_torch_what_needs_it_is_left_out_and_told_by_task() -> None:
    notes = left_out(MissingExtra("training a policy", "learning"))
    assert list(notes) == ["task 12", "task 13", "task 14", "task 15"]
    assert all("reachy-mind[learning]" in note for note in notes.values()), notes
    assert notes["task 13"].startswith("6 of 10")


def test_with_adaptation_and_fallback_a_late_robot_is_no_trouble_and_without_it_is(world: PracticeWorld) -> None:
    pytest.importorskip("torch")
    outcome = shift_outcome(world, Shift(name="late", task="look_at", robots={"delay": (3, 3)}), {})
    assert shift_failures(outcome.ours) == []
    assert shift_failures(outcome.reference) != []


@pytest.mark.timeout(300)
@pytest.mark.process
async def test_in_the_simulator_what_was_taught_is_done_in_the_morning_and_not_by_who_was_not_taught(
    description: Path, tmp_path: Path
) -> None:
    lesson = next(each for each in written()[0].lessons if each.measure == "yaw")
    ours, reference = TaskTally(), TaskTally()
    began = time.monotonic()
    await lesson_cases.lessons_learned(load(), reflex(load()), [(11, lesson)], tmp_path, ours, reference)
    assert ours.failed == [] and ours.figures()["percent"] == 100
    assert reference.figures()["percent"] == 0 and "yaw changed by" in reference.failed[0]
    assert ours.figures()["turn_p50_ms"] <= (time.monotonic() - began) * 1000
