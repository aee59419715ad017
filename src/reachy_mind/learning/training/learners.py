"""`Learner`: what every algorithm that practises keeps to, and the one that a plan asks for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from reachy_mind.learning.algorithms import ppo, sac
from reachy_mind.learning.algorithms.behaviour_cloning import DAgger, demonstrated
from reachy_mind.learning.algorithms.gail import GAIL
from reachy_mind.learning.algorithms.practice import Judge, TrainingFigures
from reachy_mind.learning.algorithms.tamer import TAMER
from reachy_mind.learning.environments.catalogue import task_kind
from reachy_mind.learning.environments.environment import BatchEnvironment
from reachy_mind.learning.environments.task import Actions, Observations
from reachy_mind.learning.policies.policy import Policy
from reachy_mind.learning.training.plan import TrainingPlan

Examples = tuple[Observations, Actions]
"""What was observed and done in demonstrations, a row for each decision."""
FIRST_SHOWN = 3
"""Demonstrations of the expert with which DAgger begins."""
IMITATED = 10
"""Demonstrations of the expert that GAIL imitates."""


class Learner(Protocol):
    """Learns in an environment; `state` and `restore` keep all that the next step depends on."""

    def learn_from(
        self, environment: BatchEnvironment, episodes: int, judge: Judge | None = None
    ) -> TrainingFigures: ...

    def show(self, observations: Observations, actions: Actions) -> None:
        """Demonstrations that came in the meantime."""
        ...

    def policy(self, meta: Mapping[str, Any] | None = None) -> Policy: ...

    def experience(self) -> Observations:
        """What was observed in training, as far as it is kept."""
        ...

    def state(self) -> dict[str, Any]: ...

    def restore(self, state: Mapping[str, Any]) -> None: ...


def learner_for(plan: TrainingPlan, environment: BatchEnvironment, shown: Examples | None) -> Learner:
    """The learner of a plan for an algorithm that practises. `shown` are demonstrations of people; without them, an
    algorithm that imitates is shown what to do by the expert in `environment`."""
    task = environment.task
    sizes = task.observation_size, task.action_size
    match plan.algorithm:
        case "dagger":
            examples = shown or demonstrated(environment, FIRST_SHOWN)
            return DAgger(*examples, seed=plan.seed, mirror=task_kind(plan.task).mirror)
        case "gail":
            return GAIL(*with_mirrored(plan.task, shown or demonstrated(environment, IMITATED)), seed=plan.seed)
        case "tamer":
            return TAMER(*sizes, seed=plan.seed)
        case "sac":
            return sac.SAC(*sizes, sac.DENSE_REWARD, plan.seed)
        case _:
            return ppo.PPO(*sizes, ppo.DENSE_REWARD, plan.seed)


def with_mirrored(task: str, examples: Examples) -> Examples:
    """The examples, and those that follow from the task's symmetry."""
    mirror = task_kind(task).mirror
    observations, actions = examples if mirror is None else mirror(*examples)
    return observations.astype(np.float32), actions.astype(np.float32)
