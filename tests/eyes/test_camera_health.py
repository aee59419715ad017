"""Camera health: dark, frozen and working cameras."""

from __future__ import annotations

import numpy as np
import pytest

from reachy_mind.body.pose import Pose
from reachy_mind.eyes.camera_health import CameraHealth, Condition
from reachy_mind.eyes.pictures import Pixels
from tests.eyes.photos import photo, picture

ROOM = photo("coffee.png")
BLACK = np.full((360, 640, 3), 4, np.uint8)


def noisy(pixels: Pixels, seed: int) -> Pixels:
    noise = np.random.default_rng(seed).normal(0, 3, pixels.shape)
    return np.clip(pixels + noise, 0, 255).astype(np.uint8)


def conditions(health: CameraHealth, pictures: list[Pixels], poses: list[Pose] | None = None) -> list[Condition]:
    """One picture a second."""
    stances = poses or [Pose()] * len(pictures)
    return [
        health.observe(picture(p, float(t)), pose) for t, (p, pose) in enumerate(zip(pictures, stances, strict=True))
    ]


def test_a_camera_that_works_is_fine_and_tells_what_moves() -> None:
    health = CameraHealth()
    assert set(conditions(health, [noisy(ROOM, seed) for seed in range(8)])) == {"fine"}
    assert not health.moving, "noise is no movement"
    health.observe(picture(noisy(np.roll(ROOM, 40, axis=1), 9), 9.0), Pose())
    assert health.moving


def test_a_covered_one_is_dark_and_fine_again_without_the_cover() -> None:
    health = CameraHealth()
    told = conditions(health, [ROOM, *[noisy(BLACK, seed) for seed in range(4)], noisy(ROOM, 5)])
    assert told == ["fine", "fine", "fine", "dark", "dark", "fine"]


def test_a_moment_of_darkness_is_none() -> None:
    assert set(conditions(CameraHealth(), [ROOM, BLACK, noisy(ROOM, 1), BLACK, noisy(ROOM, 2)])) == {"fine"}


def test_one_that_shows_the_same_for_ever_is_frozen_until_it_does_not() -> None:
    told = conditions(CameraHealth(), [*[ROOM] * 7, noisy(ROOM, 1)])
    assert told == ["fine"] * 5 + ["frozen"] * 2 + ["fine"]


@pytest.mark.parametrize(("yaw", "last"), [(0.0, "fine"), (0.2, "frozen")])
def test_a_simulated_one_may_stand_still_as_long_as_the_head_does(yaw: float, last: Condition) -> None:
    poses = [Pose()] * 4 + [Pose(yaw=yaw)] * 4
    assert conditions(CameraHealth(noiseless=True), [ROOM] * 8, poses)[-1] == last
