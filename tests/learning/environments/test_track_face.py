"""The task `track_face`: how faces move, what the robot knows of them, and what counts as following."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from reachy_mind.body.batch_kinematics import BatchKinematics
from reachy_mind.learning.environments.bodies import DECISION_S, KinematicBody
from reachy_mind.learning.environments.environment import BatchEnvironment, Randomisation
from reachy_mind.learning.environments.face_paths import HURRY, SPEED, drawn_paths
from reachy_mind.learning.environments.gaze import BEARING_SCALE, camera_bearing, towards
from reachy_mind.learning.environments.safety import SafetyFilter
from reachy_mind.learning.environments.scenes import Region
from reachy_mind.learning.environments.track_face import RATE_SCALE, TrackFaceTask
from reachy_mind.learning.evaluation.success import evaluate

AHEAD = (-46.0, 46.0)
SEEN, AGE = 2, 5


class Sluggish:
    """Turns by a small share of the bearing, and does not know that the face moves."""

    def __init__(self, gain: float) -> None:
        self._gain = gain

    def act(self, observations: np.ndarray) -> np.ndarray:
        left, up = (observations[:, column] * BEARING_SCALE for column in (0, 1))
        return towards(left, up, self._gain)


@pytest.fixture
def safety(description: Path) -> SafetyFilter:
    return SafetyFilter(BatchKinematics(description / "kinematics_data.json"))


def test_faces_stay_in_their_region_and_move_smoothly() -> None:
    paths = drawn_paths(np.random.default_rng(1), 500, 51, Region((-45, 45), (-15, 25), (0.5, 1.8)), AHEAD, 1.0)
    azimuth, elevation, distance = np.moveaxis(paths.positions, 2, 0)
    assert np.degrees(np.abs(azimuth)).max() <= 45 + 1e-9 and np.degrees(elevation).min() >= -15 - 1e-9
    assert distance.min() >= 0.5 and distance.max() <= 1.8
    speeds = np.abs(np.diff(paths.positions, axis=1)) / DECISION_S
    assert speeds[..., 0].max() <= HURRY[1] + 1e-9 and (speeds[..., 1:].max(axis=(0, 1)) <= SPEED[1:]).all()
    still = (speeds[..., 0] < np.radians(2)).mean()
    assert 0.1 < still < 0.6, "faces stop, and go on"
    assert (speeds[..., 0].max(axis=1) > SPEED[0] + 0.01).mean() == pytest.approx(0.28, abs=0.08), "some hurry past"


def test_the_detector_loses_faces_for_a_while_but_never_at_first() -> None:
    lost = drawn_paths(np.random.default_rng(1), 500, 51, Region(), AHEAD, 1.0).lost
    assert not lost[:, 0].any() and 0.05 < lost.mean() < 0.2


def test_a_face_that_is_lost_is_where_it_was_seen_last(safety: SafetyFilter) -> None:
    environment = BatchEnvironment(TrackFaceTask(100), KinematicBody(100), safety)
    before = environment.reset(3)
    assert (before[:, SEEN] == 1.0).all() and (before[:, AGE] == 0.0).all()
    kept = 0
    for _ in range(40):
        now = environment.step(np.zeros((100, 2), np.float32)).observations
        lost = now[:, SEEN] == 0.0
        np.testing.assert_allclose(now[lost, :2], before[lost, :2], atol=1e-6)
        np.testing.assert_array_equal(now[lost, 3:5], before[lost, 3:5])
        assert ((now[lost, AGE] > before[lost, AGE]) | (now[lost, AGE] == 1.0)).all()
        before, kept = now, kept + int(lost.sum())
    assert kept > 100


def test_the_rate_is_that_of_the_face_not_of_the_head(safety: SafetyFilter) -> None:
    environment = BatchEnvironment(TrackFaceTask(200), KinematicBody(200), safety)
    environment.reset(5)
    task = environment.task
    assert isinstance(task, TrackFaceTask)
    turns = np.random.default_rng(0).uniform(-1, 1, (30, 200, 2)).astype(np.float32)
    for turn in turns:
        was, seen = task.faces(), environment.step(turn).observations
        azimuth = np.arctan2(task.faces()[:, 1], task.faces()[:, 0]) - np.arctan2(was[:, 1], was[:, 0])
    steady = seen[:, SEEN] == 1.0
    told, true = seen[steady, 3] * RATE_SCALE, azimuth[steady] / DECISION_S
    assert np.corrcoef(told, true)[0, 1] > 0.8


def test_who_follows_late_does_not_follow(safety: SafetyFilter) -> None:
    environment = BatchEnvironment(TrackFaceTask(300), KinematicBody(300), safety)
    late, quick = (evaluate(Sluggish(gain), environment, 2).success for gain in (0.15, 0.6))
    assert late < 0.5 and quick > 0.9


def test_slower_faces_are_easier(safety: SafetyFilter) -> None:
    slow, fast = (
        evaluate(Sluggish(0.2), BatchEnvironment(TrackFaceTask(300, each), KinematicBody(300), safety), 2).success
        for each in (0.0, 1.0)
    )
    assert slow > fast + 0.3


def test_unseen_faces_go_further_aside_and_begin_in_view(safety: SafetyFilter) -> None:
    task = TrackFaceTask(300, scenes="unseen")
    environment = BatchEnvironment(task, KinematicBody(300), safety)
    assert (environment.reset(1)[:, SEEN] == 1.0).all()
    for _ in range(30):
        environment.step(environment.expert())
    azimuth = np.degrees(np.arctan2(task.faces()[:, 1], task.faces()[:, 0]))
    assert (np.abs(azimuth) > 44.9).all() and azimuth.min() < -60 and azimuth.max() > 60
    assert camera_bearing(environment.body.poses, task.faces())[2].max() < np.radians(10)


def test_a_detector_that_misses_half_of_the_pictures_is_told(safety: SafetyFilter) -> None:
    environment = BatchEnvironment(
        TrackFaceTask(300), KinematicBody(300), safety, randomisation=Randomisation(missed=0.5)
    )
    environment.reset(1)
    seen = [environment.step(environment.expert()).observations[:, SEEN].mean() for _ in range(20)]
    assert np.mean(seen) == pytest.approx(0.45, abs=0.06)
