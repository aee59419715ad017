"""`evaluate`: how often an actor succeeds in fresh scenes, how fast, and how often the safety filter had to step in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

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


def evaluate(actor: Actor, environment: BatchEnvironment, seed: int) -> PolicyFigures:
    """One episode on each robot of the environment, in the scenes of this seed."""
    observations = environment.reset(seed)
    running = np.ones(environment.count, np.bool_)
    success = np.zeros(environment.count, np.bool_)
    returns, decisions, violations = np.zeros(environment.count), 0, 0
    while running.any():
        step = environment.step(actor.act(observations))
        decisions += int(running.sum())
        violations += int((step.violations & running).sum())
        returns[running] += step.rewards[running]
        success |= step.success & step.over & running
        observations, running = step.observations, running & ~step.over
    return PolicyFigures(
        environment.count,
        float(success.mean()),
        decisions / environment.count,
        float(returns.mean()),
        violations / decisions,
    )
