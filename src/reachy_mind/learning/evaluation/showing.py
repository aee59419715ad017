"""`shown`: one robot does a task in several scenes, one after the other, for somebody who watches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reachy_mind.learning.environments.bodies import DECISION_S
from reachy_mind.learning.environments.environment import BatchEnvironment
from reachy_mind.learning.policies.policy import Actor


@dataclass(frozen=True)
class ShownEpisode:
    """What came of one scene."""

    success: bool
    decisions: int

    @property
    def seconds(self) -> float:
        return self.decisions * DECISION_S


def shown(actor: Actor, environment: BatchEnvironment, scenes: int) -> Iterator[ShownEpisode]:
    """Act in so many scenes; yields each when it is over."""
    try:
        observations, decisions = environment.reset(), 0
        while scenes > 0:
            step = environment.step(actor.act(observations))
            observations, decisions = step.observations, decisions + 1
            if step.over[0]:
                yield ShownEpisode(bool(step.success[0]), decisions)
                scenes, decisions = scenes - 1, 0
    finally:
        environment.close()
