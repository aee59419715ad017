from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reachy_mind.body.kinematics import Kinematics
from reachy_mind.body.limits import JOINT_RANGES, MAX_YAW_DIFFERENCE, reachable_body_yaw
from reachy_mind.body.pose import ASLEEP, AWAKE, Pose
from reachy_mind.errors import AssetError, InvalidParameter, OutOfReach

anything = st.floats(-4, 4)
wild = st.builds(Pose, *[st.floats(-0.3, 0.3)] * 3, *[anything] * 6)
gentle_tilts = st.floats(-0.2, 0.2)
gentle = st.builds(Pose, *[st.floats(-0.005, 0.005)] * 3, gentle_tilts, gentle_tilts, st.floats(-0.6, 0.6))
"""Every corner of this leaves a tenth of a radian in each joint."""


@given(wild)
def test_whatever_is_wished_what_is_given_can_be_reached(kinematics: Kinematics, wish: Pose) -> None:
    given_pose, clamped = kinematics.within_reach(wish)
    joints = kinematics.joints(given_pose.head_matrix(), given_pose.body_yaw)
    assert joints is not None
    for joint, (low, high) in zip(joints, JOINT_RANGES, strict=True):
        assert low - 1e-3 <= joint <= high + 1e-3
    assert abs(given_pose.yaw - given_pose.body_yaw) <= MAX_YAW_DIFFERENCE + 1e-9
    for clamp in clamped:
        assert clamp.asked == getattr(wish, clamp.axis)
        assert clamp.given == getattr(given_pose, clamp.axis)


@given(wild)
def test_what_is_given_once_is_given_again(kinematics: Kinematics, wish: Pose) -> None:
    once, _ = kinematics.within_reach(wish)
    twice, clamped = kinematics.within_reach(once)
    assert twice.distance(once) < 1e-3 or clamped


@given(gentle)
def test_a_reachable_wish_is_left_alone(kinematics: Kinematics, wish: Pose) -> None:
    given_pose, clamped = kinematics.within_reach(wish)
    assert clamped == ()
    assert given_pose.distance(replace(wish, body_yaw=given_pose.body_yaw)) < 1e-12


def test_the_postures_we_use_are_reachable(kinematics: Kinematics) -> None:
    assert kinematics.reachable(AWAKE) and kinematics.reachable(ASLEEP)


def test_gaze_survives_a_tilt_that_does_not(kinematics: Kinematics) -> None:
    wish = Pose(yaw=1.2, body_yaw=0.2, pitch=0.69, roll=0.69, z=0.02)
    given_pose, clamped = kinematics.within_reach(wish)
    assert given_pose.yaw == pytest.approx(wish.yaw)
    assert {c.axis for c in clamped} == {"pitch", "roll", "z"}


def test_a_body_that_must_follow_the_head_is_told(kinematics: Kinematics) -> None:
    given_pose, clamped = kinematics.within_reach(Pose(yaw=2.0, body_yaw=-1.0))
    assert given_pose.yaw == 2.0
    assert [(c.axis, c.asked) for c in clamped] == [("body_yaw", -1.0)]


@pytest.mark.parametrize("axis", ["x", "pitch", "body_yaw", "antenna_left"])
@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_numbers_that_are_none_are_refused_by_name(kinematics: Kinematics, axis: str, bad: float) -> None:
    with pytest.raises(InvalidParameter, match=axis):
        kinematics.within_reach(replace(Pose(), **{axis: bad}))


def test_out_of_reach_says_what_would_go(kinematics: Kinematics) -> None:
    with pytest.raises(OutOfReach) as caught:
        kinematics.require_reach(Pose(pitch=math.radians(80)))
    assert "pitch 80.0 degrees" in caught.value.message
    assert "pitch 40" in caught.value.hint


@pytest.mark.parametrize(
    ("yaw", "body", "expected"),
    [(0.5, 0.0, 0.0), (2.0, 0.0, 2.0 - MAX_YAW_DIFFERENCE), (-2.0, 0.0, MAX_YAW_DIFFERENCE - 2.0), (3.1, 2.5, 2.5)],
)
def test_the_body_follows_only_as_far_as_it_must(yaw: float, body: float, expected: float) -> None:
    assert reachable_body_yaw(yaw, body) == pytest.approx(expected)


def test_broken_geometry_is_a_clear_error(tmp_path: Path) -> None:
    for name, text in (("absent", None), ("empty", ""), ("half", '{"motors": [')):
        file = tmp_path / name
        if text is not None:
            file.write_text(text)
        with pytest.raises(AssetError, match=name) as caught:
            Kinematics(file)
        assert "models pull" in caught.value.hint
