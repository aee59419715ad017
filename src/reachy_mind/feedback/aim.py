"""`AimModel`: how far beside a thing a person wants the robot to look, depending on where the thing is.

Each correction and each praise is a label of a Bayesian regression, one for each axis. Its prior says which errors are
likely: an aim that is off by some degrees everywhere or by some share of the angle, and the parallax of the camera.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from reachy_mind.feedback.learner import BayesianRegression, Label, still_valid
from reachy_mind.feedback.readings import Axis, Correction
from reachy_mind.tools.builtin.aiming import AimOffset
from reachy_mind.tools.tunables import AIM

GEOMETRY = ("azimuth", "elevation", "distance")
"""Of a thing that is looked at: degrees left and up, and metres."""
AIM_AXES: tuple[Axis, Axis] = ("yaw", "pitch")
NEAREST_M, UNKNOWN_M = 0.1, 1.0
NOISE = 0.08
CONSTANT, SHARE, PARALLAX, OTHER = 0.13, 0.18, 0.05, 0.04
"""Expected size of the coefficients: radians everywhere, share of the angle itself, radians at 1 m, all others."""
MEANT = {"tiny": 3.0, "small": 5.5, "medium": 11.0, "large": 20.0}
"""Degrees that an aim is off when somebody says so. Nobody corrects what they hardly see, so "a touch" is not less."""
PRECISION = {"tiny": 2.0, "small": 2.5, "medium": 4.0, "large": 8.0}
"""Degrees by which what was meant differs from that: the larger, the rougher."""
PRAISED = 2.0
"""Degrees by which an aim that is called perfect may still be off."""
MOST_EXPLORED = 4.0
LEAST_EXPLORED = 1.5


def moved(offset: AimOffset, correction: Correction) -> AimOffset:
    """The offset after the step that the size of a correction stands for."""
    step = correction.sign * AIM[correction.size]
    return (
        offset._replace(left=offset.left + step) if correction.axis == "yaw" else offset._replace(up=offset.up + step)
    )


def look_features(situation: Mapping[str, Any]) -> tuple[float, ...]:
    """Of a thing that is looked at: its direction, how near it is, and their products."""
    azimuth, elevation, distance = (float(situation.get(name) or 0.0) for name in GEOMETRY)
    across, up = math.radians(azimuth), math.radians(elevation)
    near = 1 / max(distance or UNKNOWN_M, NEAREST_M)
    return (1.0, across, up, near, across * up, across * near, up * near)


def aim_regression(axis: str, labels: Iterable[Label] = ()) -> BayesianRegression:
    """The regression of one axis over `look_features`, in radians."""
    expected = [CONSTANT, OTHER, OTHER, PARALLAX, OTHER, OTHER, OTHER]
    expected[1 if axis == "yaw" else 2] = SHARE
    return BayesianRegression(len(expected), [size**-2 for size in expected], NOISE, labels)


def aim_weight(degrees: float) -> float:
    """The weight of a label with this standard deviation."""
    return (NOISE / math.radians(degrees)) ** 2


class AimModel:
    """What one person taught about where to look, beside a thing that was aimed at."""

    def __init__(self) -> None:
        self._labels: dict[str, dict[Hashable, Label]] = {axis: {} for axis in AIM_AXES}
        self._regressions: dict[str, BayesianRegression] = {axis: aim_regression(axis) for axis in AIM_AXES}

    def correct(
        self,
        situation: Mapping[str, Any],
        applied: AimOffset,
        corrections: Sequence[Correction],
        occasion: Hashable = None,
    ) -> None:
        """Learn from corrections of a look with the offset `applied`.

        `occasion`: of what was said about one look and its corrections, the last counts; the rest was on the way to it.
        """
        for each in corrections:
            if each.axis in AIM_AXES:
                wanted = applied[AIM_AXES.index(each.axis)] + each.sign * MEANT[each.size]
                self._add(each.axis, situation, wanted, PRECISION[each.size], occasion)

    def confirm(
        self,
        situation: Mapping[str, Any],
        applied: AimOffset,
        axes: Sequence[str] = AIM_AXES,
        occasion: Hashable = None,
    ) -> None:
        """Learn from praise of a look with the offset `applied`."""
        for axis, degrees in zip(AIM_AXES, applied, strict=True):
            if axis in axes:
                self._add(axis, situation, degrees, PRAISED, occasion)

    def _add(
        self, axis: str, situation: Mapping[str, Any], degrees: float, precision: float, occasion: Hashable
    ) -> None:
        labels = self._labels[axis]
        key = len(labels) if occasion is None else (occasion,)
        labels.pop(key, None)  # the newest is the last one
        labels[key] = Label(look_features(situation), math.radians(degrees), aim_weight(precision))
        self._regressions[axis] = aim_regression(axis, still_valid(list(labels.values()), NOISE))

    def offset(self, situation: Mapping[str, Any]) -> AimOffset:
        """Where to look beside the thing, as far as it is known."""
        features = look_features(situation)
        return AimOffset(*(math.degrees(self._regressions[axis].mean(features)) for axis in AIM_AXES))

    def deviation(self, situation: Mapping[str, Any]) -> AimOffset:
        """How unsure that is: standard deviations in degrees."""
        features = look_features(situation)
        return AimOffset(*(math.degrees(self._regressions[axis].deviation(features)) for axis in AIM_AXES))

    def explored(self, situation: Mapping[str, Any], chances: Sequence[float]) -> AimOffset:
        """The offset moved by `chances` (normal random numbers, one for each axis) times how unsure it is.

        "Perfect" about an aim that is always the same says little. So it varies as far as it is unsure, and never by
        more than `MOST_EXPLORED` degrees.
        """
        moved = [
            known + min(max(chance * max(unsure, LEAST_EXPLORED), -MOST_EXPLORED), MOST_EXPLORED)
            for known, unsure, chance in zip(self.offset(situation), self.deviation(situation), chances, strict=True)
        ]
        return AimOffset(*moved)
