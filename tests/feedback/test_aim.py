"""What a person says about where the robot looks changes where it looks, there and nearby, and not elsewhere."""

from __future__ import annotations

import pytest

from reachy_mind.feedback.aim import AimModel, look_features, moved
from reachy_mind.feedback.readings import Correction
from reachy_mind.tools.builtin.aiming import AimOffset

HERE = {"azimuth": 20.0, "elevation": -20.0, "distance": 0.5}
NEAR = {"azimuth": 25.0, "elevation": -18.0, "distance": 0.55}
LOWER = Correction("pitch", -1, "small")


def test_told_once_it_looks_lower_there_and_nearby() -> None:
    model = AimModel()
    assert model.offset(HERE) == (0.0, 0.0)
    model.correct(HERE, AimOffset(), [LOWER])
    assert model.offset(HERE).up == pytest.approx(-5, abs=1) and model.offset(NEAR).up < -3.5
    assert model.offset(HERE).left == 0.0


def test_praise_makes_it_surer() -> None:
    model = AimModel()
    model.correct(HERE, AimOffset(), [LOWER])
    unsure = model.deviation(HERE)
    model.confirm(HERE, AimOffset(0.0, -6.0))
    assert model.deviation(HERE).up < unsure.up and model.offset(HERE).up == pytest.approx(-6, abs=1)


def test_one_wrong_direction_does_little() -> None:
    model = AimModel()
    for _ in range(5):
        model.correct(HERE, AimOffset(0.0, -4.0), [LOWER])
    before = model.offset(HERE).up
    model.correct(HERE, AimOffset(0.0, -9.0), [Correction("pitch", 1, "large")])
    assert model.offset(HERE).up == pytest.approx(before, abs=1)


def test_it_explores_within_a_few_degrees() -> None:
    model = AimModel()
    assert model.explored(HERE, (50.0, -50.0)) == (4.0, -4.0)
    assert model.explored(HERE, (0.0, 0.0)) == (0.0, 0.0)


def test_other_axes_teach_nothing_about_the_aim() -> None:
    model = AimModel()
    model.correct(HERE, AimOffset(), [Correction("speed", -1, "large")])
    assert model.offset(HERE) == (0.0, 0.0)
    assert moved(AimOffset(1.0, 2.0), LOWER) == (1.0, -3.0)


def test_an_unknown_distance_is_taken_for_a_metre() -> None:
    assert look_features({"azimuth": 0.0, "elevation": 0.0, "distance": None}) == (1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
