"""Measures a `PracticeStudy` for one seed: learning curve, violations in training, and the kept policy elsewhere."""

from __future__ import annotations

from dataclasses import replace

from reachy_mind.learning.evaluation.conditions import CURVE_SEED, FRESH_SEED, under_conditions
from reachy_mind.learning.evaluation.studies import ENOUGH, PracticeStudy
from reachy_mind.learning.evaluation.study_results import SeedResult, first_reaching, steady_from
from reachy_mind.learning.evaluation.success import evaluate
from reachy_mind.learning.policies.experience import Experience
from reachy_mind.learning.policies.policy import Policy
from reachy_mind.learning.training.learners import learner_for
from reachy_mind.learning.training.plan import TrainingPlan
from reachy_mind.learning.training.run import combined
from reachy_mind.learning.training.simulated_trainer import SimulatedTrainer
from reachy_mind.learning.training.world import PracticeWorld

CURVE_SCENES = 200


def measured(study: PracticeStudy, world: PracticeWorld, seed: int) -> SeedResult:
    """As a training run does, the policy of the best evaluation is kept; it is judged on other scenes."""
    plan = TrainingPlan(task=study.task, algorithm=study.algorithm, seed=seed, episodes=study.episodes)
    environment = world.environment(study.task, plan.robots, seed=seed, scenes=study.trained_in)
    learner = learner_for(plan, environment, None)
    judge = SimulatedTrainer(seed) if study.algorithm == "tamer" else None

    def success(policy: Policy, first_seed: int, scenes: int) -> float:
        return evaluate(policy, world.environment(study.task, scenes), first_seed + seed).success

    curve = [(0, success(learner.policy(), CURVE_SEED, CURVE_SCENES))]
    parts, violations, kept, best = [], [], learner.policy(), -1.0
    for episode in range(study.evaluate_every, study.episodes + 1, study.evaluate_every):
        parts.append(learner.learn_from(environment, study.evaluate_every, judge))
        policy = learner.policy()
        curve.append((episode, success(policy, CURVE_SEED, CURVE_SCENES)))
        violations.append((episode, combined(parts).violations))
        if curve[-1][1] > best:
            best, kept = curve[-1][1], replace(policy, experience=Experience.of(learner.experience()))
    last = success(learner.policy(), FRESH_SEED, study.held_out)
    first, steady = first_reaching(curve, ENOUGH), steady_from(curve, ENOUGH)
    figures = {
        "before": curve[0][1],
        "first_95": first,
        "steady_95": steady,
        "confirmed_95": steady if last >= ENOUGH else None,
        "last": last,
        "training_violations": combined(parts).violations,
        **under_conditions(world, study.task, kept, seed, study.held_out),
    }
    return SeedResult(seed=seed, figures=figures, curves={"success": tuple(curve), "violations": tuple(violations)})
