"""Measures a `FeedbackStudy` for one seed: a policy before and after the feedback of a simulated person.

`satisfaction_` figures are the answers of the simulated audience (`satisfaction`) to the same scenes before and after.
"""

from __future__ import annotations

from dataclasses import replace

from reachy_mind.learning.environments.environment import RewardWeights
from reachy_mind.learning.evaluation.conditions import CURVE_SEED, FRESH_SEED, under_conditions
from reachy_mind.learning.evaluation.satisfaction import SimulatedAudience, mean_score
from reachy_mind.learning.evaluation.studies import ENOUGH, FeedbackStudy
from reachy_mind.learning.evaluation.study_results import SeedResult, first_reaching
from reachy_mind.learning.evaluation.success import evaluate
from reachy_mind.learning.evaluation.watching import watched
from reachy_mind.learning.policies.experience import Experience
from reachy_mind.learning.policies.policy import Policy
from reachy_mind.learning.training.learners import learner_for
from reachy_mind.learning.training.plan import TrainingPlan
from reachy_mind.learning.training.simulated_trainer import SimulatedTrainer
from reachy_mind.learning.training.world import PracticeWorld

CURVE_SCENES, WATCHED_SCENES = 200, 40


def measured(study: FeedbackStudy, world: PracticeWorld, seed: int) -> SeedResult:
    """The policy of the last evaluation is judged: a person has no held-out scenes to choose the best one with."""
    weights = RewardWeights() if study.task_reward else RewardWeights(task=0.0, efficiency=0.0)
    plan = TrainingPlan(task=study.task, algorithm=study.algorithm, seed=seed, episodes=study.episodes, weights=weights)
    environment = world.environment(study.task, plan.robots, seed=seed, weights=weights)
    learner = learner_for(plan, environment, None)
    trainer = SimulatedTrainer(seed)

    def success(policy: Policy) -> float:
        return evaluate(policy, world.environment(study.task, CURVE_SCENES), CURVE_SEED + seed).success

    def satisfaction(policy: Policy) -> float:
        seen = watched(policy, world.environment(study.task, WATCHED_SCENES), FRESH_SEED + seed)
        return mean_score(SimulatedAudience(seed).forms(study.task, seen))

    curve, spoken = [(0, success(learner.policy()))], []
    figures: dict[str, float | None] = {"before": curve[0][1], "satisfaction_before": satisfaction(learner.policy())}
    for episode in range(study.evaluate_every, study.episodes + 1, study.evaluate_every):
        learner.learn_from(environment, study.evaluate_every, trainer if study.feedback else None)
        curve.append((episode, success(learner.policy())))
        spoken.append((episode, float(trainer.utterances)))
    after = replace(learner.policy(), experience=Experience.of(learner.experience()))
    figures |= {
        "first_95": first_reaching(curve, ENOUGH),
        "utterances": float(trainer.utterances),
        "satisfaction_after": satisfaction(after),
        **under_conditions(world, study.task, after, seed, study.held_out),
    }
    return SeedResult(seed=seed, figures=figures, curves={"success": tuple(curve), "utterances": tuple(spoken)})
