"""`BatchTask`: what is to be done in an environment: scenes, observations, success, and an expert to learn from.

A task is numpy over many robots at once and knows nothing of how they move. Rows are robots.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from reachy_mind.learning.environments.bodies import Array, Mask

Observations = NDArray[np.float32]
Actions = NDArray[np.float32]


@dataclass(frozen=True)
class Judged:
    """How a step went, a value for each robot: progress (the task's part of the reward), success, and whether the
    episode is over because the task is done or lost."""

    reward: Array
    success: Mask
    done: Mask


@dataclass(frozen=True)
class DetectionErrors:
    """Of the detector in one picture: added to the bearing left and up (radians, (count, 2)), and which rows it missed
    although there was something to see."""

    bearing: Array
    missed: Mask


class BatchTask(Protocol):
    """`reset` draws new scenes for the rows. An episode has at most `horizon` decisions; each is `target`, then
    `advance`, `perceive`, `observe` and `judge`."""

    name: str
    observation_size: int
    action_size: int
    horizon: int

    def reset(self, rng: np.random.Generator, rows: Mask, poses: Array) -> None: ...

    def target(self, actions: Actions, commanded: Array, poses: Array) -> Array:
        """The pose that actions in -1..1 ask for, before the safety filter; `commanded`: what was sent last."""
        ...

    def advance(self, seconds: float) -> None:
        """The world moves on: faces move, beats pass."""
        ...

    def perceive(self, rows: Mask, poses: Array, errors: DetectionErrors) -> None:
        """The robots of these rows take a picture: once after `reset` and once in each decision."""
        ...

    def observe(self, poses: Array, time_left: Array) -> Observations:
        """What the policies see, each value about -1..1. Changes nothing."""
        ...

    def judge(self, poses: Array) -> Judged: ...

    def expert(self, poses: Array, commanded: Array) -> Actions:
        """What somebody who knows the whole scene would do."""
        ...
