from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reachy_mind.body.pose import ASLEEP, AWAKE, Pose

lengths = st.floats(-0.05, 0.05)
tilts = st.floats(-1.5, 1.5)
turns = st.floats(-3.1, 3.1)
poses = st.builds(Pose, lengths, lengths, lengths, tilts, tilts, turns, turns, turns, turns)


@given(poses)
def test_a_pose_survives_the_way_through_the_protocols_matrix(pose: Pose) -> None:
    again = Pose.from_head_matrix(pose.head_matrix(), body_yaw=pose.body_yaw, antennas=pose.antennas)
    assert again.distance(pose) < 1e-9


@given(poses, poses)
def test_blending_starts_here_and_ends_there(a: Pose, b: Pose) -> None:
    assert a.blend(b, 0.0).distance(a) < 1e-12
    assert a.blend(b, 1.0).distance(b) < 1e-12


def test_axes_are_the_robots() -> None:
    """Yaw turns the nose (first column) to the left (+y), pitch turns it down (-z), roll lifts the left side."""
    left, down, leaning = (Pose(yaw=0.5), Pose(pitch=0.5), Pose(roll=0.5))
    assert left.head_matrix()[4] == pytest.approx(math.sin(0.5))
    assert down.head_matrix()[8] == pytest.approx(-math.sin(0.5))
    assert leaning.head_matrix()[9] == pytest.approx(math.sin(0.5))


def test_the_sleeping_pose_is_the_vendors_matrix() -> None:
    vendors = (0.911, 0.004, 0.413, -0.021, -0.004, 1.0, -0.001, 0.001, -0.413, -0.001, 0.911, -0.044)
    assert ASLEEP.head_matrix()[:12] == pytest.approx(vendors, abs=2e-3)


def test_people_get_millimetres_and_degrees() -> None:
    shown = Pose(x=0.0123, yaw=math.radians(30)).in_degrees()
    assert (shown["x_mm"], shown["yaw"]) == (12.3, 30.0)


def test_distance_weighs_a_centimetre_like_ten_degrees() -> None:
    assert AWAKE.distance(AWAKE) == 0
    assert Pose(x=0.01).distance(Pose()) == pytest.approx(math.radians(10))
    assert Pose(antenna_left=0.3).distance(Pose()) == pytest.approx(0.3)
