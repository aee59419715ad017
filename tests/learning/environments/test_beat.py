"""The task `beat`: nods and antennas are judged by their phase and amplitude."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from reachy_mind.body.batch_kinematics import BatchKinematics
from reachy_mind.learning.environments.beat import LARGEST_NOD, NOD, BeatTask, control, make, swing
from reachy_mind.learning.environments.bodies import KinematicBody
from reachy_mind.learning.environments.environment import BatchEnvironment
from reachy_mind.learning.environments.safety import SafetyFilter
from reachy_mind.learning.evaluation.success import evaluate


class Nodder:
    """Nods `share` as far as wanted and `late` (a share of the beat), with the antennas as they should be or still."""

    def __init__(self, share: float = 1.0, late: float = 0.0, antennas: bool = True) -> None:
        self._share, self._turn, self._antennas = share, 2 * math.pi * late, antennas

    def act(self, observations: np.ndarray) -> np.ndarray:
        now = observations.astype(np.float64)
        phase, beats = np.arctan2(now[:, 1], now[:, 0]), (90 + 30 * now[:, 2]) / 60
        wanted = np.cos(phase + 2 * math.pi * beats * 0.1 - self._turn)
        nod = self._share * wanted * NOD / LARGEST_NOD
        return np.stack([nod, 0.5 * wanted * self._antennas], axis=1).astype(np.float32)


def success(nodder: Nodder, safety: SafetyFilter) -> float:
    return evaluate(nodder, BatchEnvironment(BeatTask(100), KinematicBody(100), safety), 3).success


@pytest.fixture
def safety(description: Path) -> SafetyFilter:
    return SafetyFilter(BatchKinematics(description / "kinematics_data.json"))


def test_who_nods_on_the_beat_succeeds(safety: SafetyFilter) -> None:
    assert success(Nodder(), safety) == success(Nodder(late=0.1), safety) == success(Nodder(share=1.4), safety) == 1.0


@pytest.mark.parametrize(
    ("how", "value"),
    [("late", 0.2), ("late", -0.2), ("late", 0.5), ("share", 0.4), ("share", 1.7), ("antennas", False)],
)
def test_who_does_not_fails(how: str, value: float, safety: SafetyFilter) -> None:
    assert success(Nodder(**{how: value}), safety) == 0.0  # type: ignore[arg-type]


def test_the_head_is_lowest_on_the_beat(safety: SafetyFilter) -> None:
    environment = BatchEnvironment(BeatTask(50), KinematicBody(50), safety)
    seen, downs = environment.reset(1), []
    for _ in range(40):
        seen = environment.step(control(seen)).observations
        downs.append(np.stack([seen[:, 0], environment.body.poses[:, 4]]))
    cosine, down = np.concatenate(downs, axis=1)
    assert np.degrees(down[cosine > 0.95].mean()) > 6 and np.degrees(down[cosine < -0.95].mean()) < -6


def test_a_swing_is_measured() -> None:
    phases = np.random.default_rng(1).uniform(0, 2 * np.pi, (3, 40))
    values = 0.3 + 0.8 * np.cos(phases - 0.5)
    size, late = swing(phases, np.stack([values, -values], axis=2))
    assert size == pytest.approx(np.full((3, 2), 0.8))
    assert late[:, 0] == pytest.approx(0.5) and late[:, 1] == pytest.approx(0.5 - np.pi)


def test_easy_music_is_slow_and_unseen_music_has_other_tempos(safety: SafetyFilter) -> None:
    tempos = {}
    for difficulty, scenes in ((0.0, "usual"), (1.0, "usual"), (1.0, "unseen")):
        seen = BatchEnvironment(make(300, difficulty, scenes), KinematicBody(300), safety).reset(1)  # type: ignore[arg-type]
        tempos[difficulty, scenes] = 90 + 30 * seen[:, 2]
    assert tempos[0.0, "usual"].max() <= 70 and tempos[1.0, "usual"].max() > 115
    assert ((tempos[1.0, "unseen"] < 60) | (tempos[1.0, "unseen"] > 120)).all()
