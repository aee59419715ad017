"""The lens from a daemon's camera specs."""

from __future__ import annotations

import math
from typing import Any

import pytest

from reachy_mind.body.pose import Pose
from reachy_mind.eyes.lens import Lens

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
