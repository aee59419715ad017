"""`watched`: episodes as somebody in the room sees them: whether it was done, how long it took, how the head moved."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from reachy_mind.learning.environments.bodies import Array
from reachy_mind.learning.environments.environment import BatchEnvironment
from reachy_mind.learning.environments.gaze import PITCH
from reachy_mind.learning.evaluation.success import EpisodicActor
from reachy_mind.learning.policies.policy import Actor
from reachy_mind.motion.limits import YAW

NOTICED = math.radians(2)
"""A turn in one decision that is seen."""


@dataclass(frozen=True)
class WatchedEpisode:
    """`reversals`: how often the head swung back; `violations`: decisions that the safety filter had to change."""

    success: bool
    decisions: int
    reversals: int
    violations: int


def watched(actor: Actor, environment: BatchEnvironment, seed: int) -> list[WatchedEpisode]:
    """One episode on each robot, in the scenes of this seed."""
    count = environment.count
    observations, running = environment.reset(seed), np.ones(count, np.bool_)
    if isinstance(actor, EpisodicActor):
        actor.begin(running)
    success = np.zeros(count, np.bool_)
    decisions, reversals, violations = (np.zeros(count, np.int64) for _ in range(3))
    before, direction = _gaze(environment), np.zeros((count, 2))
    while running.any():
        step = environment.step(actor.act(observations))
        if isinstance(actor, EpisodicActor):
            actor.begin(step.over)
        decisions += running
        violations += step.violations & running
        success |= step.success & step.over & running
        observations, running = step.observations, running & ~step.over
        now = _gaze(environment)  # of a robot that has begun anew: the next scene's
        turned = np.where(np.abs(now - before) > NOTICED, np.sign(now - before), 0.0)
        reversals += (turned * direction < 0).any(axis=1) & running
        before, direction = now, np.where(turned != 0, turned, direction)
    columns = zip(success.tolist(), decisions.tolist(), reversals.tolist(), violations.tolist(), strict=True)
    return [WatchedEpisode(*column) for column in columns]


def _gaze(environment: BatchEnvironment) -> Array:
    turned: Array = environment.body.poses[:, [YAW, PITCH]].copy()
    return turned
