"""The lens from a daemon's camera specs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from reachy_mind.body.pose import Pose
from reachy_mind.eyes.lens import IN_HEAD_M, SIMULATED, Lens

SPECS: dict[str, Any] = {
    "name": "imx708",
    "default_resolution": {"width": 1920, "height": 1080},
    "K": [[960.0, 0.0, 970.0], [0.0, 950.0, 530.0], [0.0, 0.0, 1.0]],
}


def test_a_place_in_the_picture_is_the_direction_that_the_measures_say() -> None:
    lens = Lens.of_specs(SPECS)
    assert lens.direction(970 / 1920, 530 / 1080, Pose()) == pytest.approx((0, 0))
    yaw, pitch = lens.direction((970 - 960) / 1920, 530 / 1080, Pose())
    assert yaw == pytest.approx(math.radians(45)) and pitch == pytest.approx(0)


@pytest.mark.parametrize(
    "specs",
    [
        {},
        {"K": None, "default_resolution": None},
        SPECS | {"K": [[0.0] * 3] * 3},
        SPECS | {"K": [[math.nan] * 3] * 3},
        SPECS | {"default_resolution": {"width": 0, "height": 0}},
        SPECS | {"K": "wide"},
    ],
)
def test_nonsense_is_no_lens(specs: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="camera specs"):
        Lens.of_specs(specs)


def test_a_place_in_the_room_is_the_same_from_wherever_the_head_looks() -> None:
    there = np.array([0.5, 0.1, -0.05])
    for pose in (Pose(), Pose(yaw=0.3, pitch=0.2), Pose(yaw=-0.2, pitch=-0.1, roll=0.1, z=0.01)):
        transform = np.array(pose.head_matrix()).reshape(4, 4)
        ahead, left, up = transform[:3, :3].T @ (there - transform[:3, 3]) - IN_HEAD_M
        x, y = 0.5 - SIMULATED.focal_x * left / ahead, 0.5 - SIMULATED.focal_y * up / ahead
        assert SIMULATED.place(x, y, math.hypot(ahead, left, up), pose) == pytest.approx(there, abs=1e-9)
