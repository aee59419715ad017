"""The pose at a past time."""

from __future__ import annotations

import pytest

from reachy_mind.body.pose import Pose
from reachy_mind.body.pose_history import HISTORY_S, PoseHistory


def test_between_two_it_is_between_them_and_outside_the_nearest() -> None:
    trail = PoseHistory()
    assert trail.at(1.0) is None
    for step in range(5):
        trail.add(1 + step * 0.02, Pose(yaw=step * 0.1))
    assert trail.at(1.03) == Pose(yaw=pytest.approx(0.15))  # type: ignore[arg-type]
    assert trail.at(0.0) == Pose() and trail.at(9.0) == Pose(yaw=pytest.approx(0.4))  # type: ignore[arg-type]


def test_the_past_is_forgotten_and_time_does_not_go_back() -> None:
    trail = PoseHistory()
    trail.add(1.0, Pose(yaw=1))
    trail.add(0.5, Pose(yaw=2))
    assert trail.at(0.5) == Pose(yaw=1)
    trail.add(1.5 + HISTORY_S, Pose(yaw=3))
    assert trail.at(1.0) == Pose(yaw=3)
