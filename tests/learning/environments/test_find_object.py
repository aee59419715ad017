"""The task `find_object`: it searches one side, then the other, then centres what it found."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from reachy_mind.body.batch_kinematics import BatchKinematics
from reachy_mind.learning.environments.bodies import KinematicBody
from reachy_mind.learning.environments.environment import BatchEnvironment, Randomisation
from reachy_mind.learning.environments.find_object import FindObjectTask, control, make
from reachy_mind.learning.environments.safety import SafetyFilter
from reachy_mind.learning.evaluation.success import evaluate

FOUND, SEEN, SIDE, REST = 2, 3, 4, 5
YAW = 5


class Search:
    act = staticmethod(control)


@pytest.fixture
def safety(description: Path) -> SafetyFilter:
    return SafetyFilter(BatchKinematics(description / "kinematics_data.json"))


def test_nothing_is_in_view_and_nothing_is_known_at_the_start(safety: SafetyFilter) -> None:
    seen = BatchEnvironment(FindObjectTask(500), KinematicBody(500), safety).reset(1)
    assert (seen[:, [0, 1, FOUND, SEEN]] == 0.0).all()
    assert abs(seen[:, SIDE].mean()) < 0.15 and set(seen[:, SIDE]) == {-1.0, 1.0}, "the side is no hint"


def test_it_turns_round_where_a_side_was_searched_to_its_end(safety: SafetyFilter) -> None:
    environment = BatchEnvironment(FindObjectTask(1), KinematicBody(1), safety)
    environment.reset(1)
    task = environment.task
    assert isinstance(task, FindObjectTask)
    task.places[0] = (0.0, 0.0, -2.0)  # below the robot: it is never seen
    sides, yaws, rest = [], [], []
    for _ in range(45):
        seen = environment.step(environment.expert()).observations
        sides.append(seen[0, SIDE])
        yaws.append(environment.body.poses[0, YAW])
        rest.append(seen[0, REST])
    turns = np.flatnonzero(np.diff(sides))
    assert len(turns) >= 2, "one side, the other, and again"
    assert np.degrees(np.abs(yaws)).max() == pytest.approx(103, abs=13)
    assert min(yaws) < 0 < max(yaws) and 0.0 <= min(rest) < 0.1 and max(rest) > 0.6


def test_things_behind_the_shoulder_are_found(safety: SafetyFilter) -> None:
    environment = BatchEnvironment(make(300, 1.0, "unseen"), KinematicBody(300), safety)
    found = evaluate(Search(), environment, 3)
    assert found.success > 0.95 and found.violations < 0.01


def test_things_just_out_of_view_are_found_sooner(safety: SafetyFilter) -> None:
    easy, full = (
        evaluate(Search(), BatchEnvironment(make(300, each, "usual"), KinematicBody(300), safety), 3).mean_decisions
        for each in (0.0, 1.0)
    )
    assert easy < full - 1


def test_it_is_found_with_a_detector_that_misses_it_half_the_time(safety: SafetyFilter) -> None:
    environment = BatchEnvironment(
        FindObjectTask(300), KinematicBody(300), safety, randomisation=Randomisation(missed=0.5, noise_degrees=0.5)
    )
    assert evaluate(Search(), environment, 3).success > 0.9


def test_finding_and_centring_are_rewarded(safety: SafetyFilter) -> None:
    environment = BatchEnvironment(FindObjectTask(50), KinematicBody(50), safety)
    before = environment.reset(2)
    gains: dict[str, list[float]] = {"search": [], "found": [], "centre": []}
    for _ in range(25):
        step = environment.step(environment.expert())
        task, after = step.parts["task"], step.final_observations
        for row in np.flatnonzero(~step.over):
            kind = "search" if not after[row, FOUND] else "centre" if before[row, FOUND] else "found"
            gains[kind].append(task[row])
        before = step.observations
    assert np.mean(gains["search"]) > 0 and np.mean(gains["centre"]) > 0
    assert np.mean(gains["found"]) > 2 * max(np.mean(gains["search"]), np.mean(gains["centre"]))
