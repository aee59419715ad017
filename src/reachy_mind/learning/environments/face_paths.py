"""How faces move in front of the robot: `drawn_paths` draws smooth paths of bounded speed, with stops and hurries."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from reachy_mind.learning.environments.bodies import DECISION_S, Array, Mask
from reachy_mind.learning.environments.scenes import Interval, Region

SPEED = (math.radians(30), math.radians(12), 0.3)
"""Most of a face, in azimuth, elevation and distance a second: somebody who walks by at two metres, or who sways."""
HURRY = (math.radians(50), math.radians(80))
"""In azimuth a second: somebody who hurries past."""
HURRY_DECISIONS = (4, 8)
HURRIES = 0.3
"""Share of the episodes with one of these."""
SLOWEST = 0.2
"""Share of the speeds that the easiest faces have."""
CHANGE_S = 1.2
"""Mean time until a face goes elsewhere, or stops."""
STOPS = 0.3
"""Share of the changes that are stops."""
INERTIA = 0.7
"""Share of the velocity that is kept from one decision to the next."""
LOSSES, MOST_LOST = 2, 6
"""How often the detector loses a face in an episode, and for how many decisions at most."""


@dataclass(frozen=True)
class FacePaths:
    """Azimuth, elevation and distance (rows, decisions, 3) and when the detector loses them (rows, decisions)."""

    positions: Array
    lost: Mask


def drawn_paths(
    rng: np.random.Generator, count: int, decisions: int, region: Region, start: Interval, difficulty: float
) -> FacePaths:
    """Paths that stay in the region and begin within these degrees of azimuth. Difficulty: how fast."""
    low, high = _bounds(region)
    slow = SLOWEST + (1.0 - SLOWEST) * difficulty
    position = rng.uniform(low, high, (count, 3))
    position[:, 0] = np.clip(position[:, 0], *np.radians(start))
    goals = rng.uniform(-1.0, 1.0, (decisions, count, 3)) * np.array(SPEED) * slow
    goals *= rng.random((decisions, count, 1)) >= STOPS
    changes = rng.random((decisions, count, 1)) < DECISION_S / CHANGE_S
    hurried, hurry = _hurries(rng, count, decisions)
    goal, velocity, path = goals[0], np.zeros((count, 3)), [position]
    for moment in range(1, decisions):
        goal = np.where(changes[moment], goals[moment], goal)
        wanted = goal.copy()
        wanted[:, 0] = np.where(hurried[:, moment], hurry * slow, wanted[:, 0])
        velocity = INERTIA * velocity + (1.0 - INERTIA) * wanted
        position = position + velocity * DECISION_S
        outside = (position < low) | (position > high)
        # A face that comes to the edge turns back.
        goal, velocity = np.where(outside, -goal, goal), np.where(outside, -velocity, velocity)
        hurry = np.where(outside[:, 0], -hurry, hurry)
        position = np.clip(position, low, high)
        path.append(position)
    return FacePaths(np.stack(path, axis=1), _losses(rng, count, decisions))


def _bounds(region: Region) -> tuple[Array, Array]:
    (left, right), (down, up) = np.radians([region.azimuth, region.elevation])
    near, far = region.distance
    return np.array([left, down, near]), np.array([right, up, far])


def _hurries(rng: np.random.Generator, count: int, decisions: int) -> tuple[Mask, Array]:
    """When each face hurries, and how fast."""
    begin, length = rng.integers(decisions, size=(count, 1)), rng.integers(*HURRY_DECISIONS, (count, 1), endpoint=True)
    moments = np.arange(decisions)
    hurried: Mask = (begin <= moments) & (moments < begin + length) & (rng.random((count, 1)) < HURRIES)
    return hurried, rng.uniform(*HURRY, count) * rng.choice([-1.0, 1.0], count)


def _losses(rng: np.random.Generator, count: int, decisions: int) -> Mask:
    """Never in the first picture: nobody would know of the face."""
    begin = rng.integers(1, decisions, (count, LOSSES, 1))
    length = rng.integers(0, MOST_LOST, (count, LOSSES, 1), endpoint=True)
    moments = np.arange(decisions)
    lost: Mask = np.logical_or.reduce((begin <= moments) & (moments < begin + length), axis=1)
    return lost
