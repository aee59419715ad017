"""`evaluate`: how often an actor succeeds in fresh scenes, how fast, and how often the safety filter had to step in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from reachy_mind.learning.environments.bodies import Mask
from reachy_mind.learning.environments.environment import BatchEnvironment
from reachy_mind.learning.policies.policy import Actor


@dataclass(frozen=True)
class PolicyFigures:
    """Of one evaluation. `violations`: share of the actions that the safety filter had to change."""

    episodes: int
    success: float
    mean_decisions: float
    mean_return: float
    violations: float


@runtime_checkable
class EpisodicActor(Protocol):
    """An actor that wants to know when episodes begin anew."""

    def begin(self, rows: Mask) -> None: ...


def evaluate(actor: Actor, environment: BatchEnvironment, seed: int) -> PolicyFigures:
    """One episode on each robot of the environment, in the scenes of this seed."""
    observations = environment.reset(seed)
    running = np.ones(environment.count, np.bool_)
    success = np.zeros(environment.count, np.bool_)
    returns, decisions, violations = np.zeros(environment.count), 0, 0
    if isinstance(actor, EpisodicActor):
        actor.begin(running)
    while running.any():
        step = environment.step(actor.act(observations))
        decisions += int(running.sum())
        violations += int((step.violations & running).sum())
        returns[running] += step.rewards[running]
        success |= step.success & step.over & running
        if isinstance(actor, EpisodicActor):
            actor.begin(step.over)
        observations, running = step.observations, running & ~step.over
    return PolicyFigures(
        environment.count,
        float(success.mean()),
        decisions / environment.count,
        float(returns.mean()),
        violations / decisions,
    )
