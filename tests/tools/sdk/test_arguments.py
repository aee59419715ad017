"""What others pass to the robot is refused unless it is a pose, a duration or a number that a robot can use."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from reachy_mind.body.pose import Pose
from reachy_mind.errors import InvalidParameter
from reachy_mind.tools.sdk import arguments
from reachy_mind.tools.sdk.reachy_mini import create_head_pose
from reachy_mind.tools.sdk.reachy_mini.motion.sampling import sample

SCALED, MIRRORED, SHEARED = np.diag([2.0, 2, 2, 1]), np.diag([1.0, -1, 1, 1]), np.eye(4)
SHEARED[0, 1] = 0.5
PERSPECTIVE = np.eye(4)
PERSPECTIVE[3, 0] = 1.0


@pytest.mark.parametrize(
    "head",
    [
        SCALED,
        MIRRORED,
        SHEARED,
        PERSPECTIVE,
        np.zeros((4, 4)),
        np.full((4, 4), math.nan),
        np.eye(3),
        np.eye(4, dtype=bool),
        np.eye(4, dtype=complex),
        np.zeros((4000, 4000)),
        [[1, 0, 0, math.inf], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
        [[True, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
        [[1, 0, 0, 10**400], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
        [[["deep"]]],
        [1] * 100_000,
        "eye",
        {"x": 1},
        5,
    ],
    ids=lambda head: type(head).__name__,
)
def test_a_head_pose_is_a_transform(head: Any) -> None:
    with pytest.raises(InvalidParameter):
        arguments.target(Pose(), {"head": head})


@pytest.mark.parametrize("form", [lambda m: m, lambda m: m.tolist(), lambda m: m.reshape(16), lambda m: m.astype("f4")])
def test_a_transform_may_be_an_array_or_lists(form: Any) -> None:
    made = create_head_pose(x=10, y=-5, z=3, roll=5, pitch=-10, yaw=30, mm=True)
    target, axes = arguments.target(Pose(antenna_left=1.0), {"head": form(made)})
    assert math.degrees(target.yaw) == pytest.approx(30, abs=0.01) and target.x == pytest.approx(0.01, abs=1e-5)
    assert target.antenna_left == 1.0 and set(axes) == set(arguments.HEAD_AXES)


def test_an_angle_takes_the_short_way() -> None:
    target, _ = arguments.target(Pose(yaw=math.radians(170)), {"head": create_head_pose(yaw=-170)})
    assert math.degrees(target.yaw) == pytest.approx(190)


@pytest.mark.parametrize(
    "antennas", [[0], [0, 0, 0], [True, 0], ["0", 0], [math.nan, 0], [0, None], np.zeros(3), 1.0, [1e9, 0], [[0, 0, 0]]]
)
def test_antennas_are_two_numbers(antennas: Any) -> None:
    with pytest.raises(InvalidParameter):
        arguments.target(Pose(), {"antennas": antennas})


@pytest.mark.parametrize("seconds", [0, -1, math.nan, math.inf, 61, True, "1", None, [1], 10**400, 1e308])
def test_a_duration_is_some_seconds(seconds: Any) -> None:
    with pytest.raises(InvalidParameter):
        arguments.duration(seconds)


def test_a_duration_of_numpy_counts_and_a_very_short_one_is_lengthened() -> None:
    assert arguments.duration(np.float32(0.5)) == 0.5 and arguments.duration(0.001) == arguments.MIN_DURATION_S


def test_no_target_is_no_order() -> None:
    with pytest.raises(InvalidParameter):
        arguments.target(Pose(), {"head": None, "antennas": None, "body_yaw": None})


@pytest.mark.parametrize("shape", [(0, 19), (7000, 19), (10, 18), (19,), (2, 2, 19)])
def test_frames_of_the_wrong_shape(shape: tuple[int, ...]) -> None:
    with pytest.raises(InvalidParameter):
        arguments.finite_frames(np.zeros(shape), 6002)


def test_a_move_of_ones_own_is_sampled_and_parts_may_be_left_out() -> None:
    class Wag:
        duration = 0.1

        def evaluate(self, t: float) -> tuple[None, list[float], None]:
            return None, [t, -t], None

    rows = arguments.finite_frames(sample(Wag()), 6002)
    assert rows.shape == (11, 19) and np.isnan(rows[:, :16]).all() and rows[5, 16] == pytest.approx(0.05)
    for wrong in (object(), type("Long", (), {"duration": 1e9, "evaluate": None})()):
        with pytest.raises(ValueError, match="move"):
            sample(wrong)
