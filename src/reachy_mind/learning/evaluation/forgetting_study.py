"""Measures a `ForgettingStudy` for one seed: one policy that learns a task, and then a second one.

Policies of their own for each task, which `learn train --task` makes, forget nothing. The question is what it costs to
have one policy for both.
"""

from __future__ import annotations

import copy

from reachy_mind.learning.environments.catalogue import TASKS
from reachy_mind.learning.environments.environment import BatchEnvironment
from reachy_mind.learning.environments.mixture import mixed
from reachy_mind.learning.environments.safety import SafetyFilter
from reachy_mind.learning.evaluation.conditions import CURVE_SEED, FRESH_SEED
from reachy_mind.learning.evaluation.studies import ForgettingStudy
from reachy_mind.learning.evaluation.study_results import SeedResult
from reachy_mind.learning.evaluation.success import evaluate
from reachy_mind.learning.policies.policy import Policy
from reachy_mind.learning.training.learners import Learner, learner_for
from reachy_mind.learning.training.plan import TrainingPlan
from reachy_mind.learning.training.world import PracticeWorld

CURVE_SCENES = 200


def measured(study: ForgettingStudy, world: PracticeWorld, seed: int) -> SeedResult:
    """Figures: `first_before` the second task, then for both ways (`alone`, `rehearsed`) success in each task."""
    both = (study.first, study.second)
    first, second, rehearsing = (_Practice(study, world, tasks) for tasks in ((study.first,), (study.second,), both))
    plan = TrainingPlan(task="+".join(both), algorithm=study.algorithm, seed=seed)
    learner = learner_for(plan, first.environment(plan.robots, seed), None)
    before = first.learned(learner, plan.robots, seed, study.episodes)
    figures: dict[str, float | None] = {"first_before": first.success(before, FRESH_SEED + seed, study.held_out)}
    state = copy.deepcopy(learner.state())
    for way, practice, episodes in (
        ("alone", second, study.episodes),
        ("rehearsed", rehearsing, 2 * study.episodes),
    ):
        learner.restore(state)
        kept = practice.learned(learner, plan.robots, seed, episodes)
        for name, task in (("first", first), ("second", second)):
            figures[f"{name}_{way}"] = task.success(kept, FRESH_SEED + seed, study.held_out)
        figures[f"lost_{way}"] = (figures["first_before"] or 0.0) - (figures[f"first_{way}"] or 0.0)
    return SeedResult(seed=seed, figures=figures)


class _Practice:
    """Some of the tasks of the one policy for both."""

    def __init__(self, study: ForgettingStudy, world: PracticeWorld, tasks: tuple[str, ...]) -> None:
        self._study, self._world = study, world
        self._kind = mixed([TASKS[study.first], TASKS[study.second]], tasks)

    def environment(self, count: int, seed: int = 0) -> BatchEnvironment:
        body = self._world.body("kinematic", count)
        task = self._kind.make(count, 1.0, "usual")
        return BatchEnvironment(task, body, SafetyFilter(self._world.reach), seed=seed)

    def success(self, policy: Policy, first_seed: int, scenes: int) -> float:
        return evaluate(policy, self.environment(scenes), first_seed).success

    def learned(self, learner: Learner, robots: int, seed: int, episodes: int) -> Policy:
        """The policy of the best evaluation, as a training run keeps it."""
        environment, kept, best = self.environment(robots, seed), learner.policy(), -1.0
        for _ in range(0, episodes, self._study.evaluate_every):
            learner.learn_from(environment, self._study.evaluate_every)
            policy = learner.policy()
            success = self.success(policy, CURVE_SEED + seed, CURVE_SCENES)
            if success > best:
                kept, best = policy, success
        return kept
