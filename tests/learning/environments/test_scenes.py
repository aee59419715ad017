"""Scenes of tasks: drawn within their region, never where they are to be unseen."""

from __future__ import annotations

import numpy as np
import pytest

from reachy_mind.learning.environments.scenes import Region, places


def drawn(region: Region) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    azimuth, elevation, distance = region.draw(np.random.default_rng(1), 2000)
    return np.degrees(azimuth), np.degrees(elevation), distance


def test_unseen_scenes_are_in_no_direction_of_the_usual_ones() -> None:
    azimuth, elevation, distance = drawn(Region((-75.0, 75.0), (-35.0, 32.0), (0.35, 2.0), without=Region()))
    assert ((np.abs(azimuth) > 55.0) | (elevation > 25.0)).all()
    assert azimuth.min() < -70.0 and azimuth.max() > 70.0 and elevation.max() > 30.0 and distance.max() > 1.9
    assert np.abs(azimuth[elevation > 25.0]).min() < 5.0, "above the usual ones, also straight ahead"


def test_easier_scenes_are_nearer_to_straight_ahead() -> None:
    azimuth, elevation, _ = drawn(Region().easier(0.0))
    assert np.abs(azimuth).max() < 14.0 and elevation.min() > -9.0
    assert Region().easier(1.0) == Region()


def test_a_place_is_in_its_direction() -> None:
    [place] = places(np.radians([90.0]), np.radians([30.0]), np.array([2.0]))
    assert place == pytest.approx([0.0, 3**0.5, 1.0])
