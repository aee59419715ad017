"""Where the camera saw a target, as rows of a demonstration."""

from __future__ import annotations

import numpy as np

from reachy_mind.learning.demonstrations.sightings import TargetSighting, target_rows

TICKS = np.arange(0.0, 6.0, 0.05)
STILL = np.zeros((len(TICKS), 9))


def visible_at(*sightings: TargetSighting) -> list[float]:
    """The whole seconds at which the target is known to be visible."""
    rows = target_rows(sightings, TICKS, TICKS, STILL)
    return [float(tick) for tick, row in zip(TICKS, rows, strict=True) if row[2] and abs(tick - round(tick)) < 1e-6]


def test_a_target_is_visible_near_its_sightings_and_between_two_of_a_slow_camera() -> None:
    assert visible_at(TargetSighting(1.0, 0.2)) == [1.0]
    assert visible_at(TargetSighting(1.0, 0.2), TargetSighting(3.0, 0.2)) == [1.0, 2.0, 3.0]
    assert visible_at(TargetSighting(1.0, 0.2), TargetSighting(5.0, 0.2)) == [1.0, 5.0]


def test_a_target_that_was_looked_for_in_vain_is_not_visible() -> None:
    assert visible_at(TargetSighting(1.0), TargetSighting(2.0, visible=False), TargetSighting(3.0)) == [1.0, 3.0]
