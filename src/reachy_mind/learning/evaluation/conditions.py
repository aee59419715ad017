"""`under_conditions`: the same policy in usual and unseen scenes, on robots as in the model and on others, with the
fallback to the geometric controller and without."""

from __future__ import annotations

from dataclasses import dataclass

from reachy_mind.learning.environments.catalogue import task_kind
from reachy_mind.learning.environments.environment import DIVERSE, NOMINAL, Randomisation
from reachy_mind.learning.environments.scenes import Scenes
from reachy_mind.learning.evaluation.success import evaluate
from reachy_mind.learning.policies.guarded import GuardedPolicy
from reachy_mind.learning.policies.policy import Policy
from reachy_mind.learning.training.plan import HELD_OUT_SEED
from reachy_mind.learning.training.world import PracticeWorld

HARD = Randomisation(gain=(0.6, 1.4), delay=(0, 2), noise_degrees=1.0, bias_degrees=2.0, lag=(0.0, 0.3), missed=0.1)
"""Robots that differ more than those that training with `--randomised` meets."""
CURVE_SEED, FRESH_SEED = HELD_OUT_SEED, 2 * HELD_OUT_SEED
"""Scenes of learning curves, which choose the best policy, and of the figures at the end."""


@dataclass(frozen=True)
class EvaluationCondition:
    """Where and on which robots a policy is evaluated."""

    name: str
    title: str
    scenes: Scenes = "usual"
    robots: Randomisation = NOMINAL


CONDITIONS = (
    EvaluationCondition("usual", "usual scenes, held out"),
    EvaluationCondition("unseen", "places outside the training", scenes="unseen"),
    EvaluationCondition("diverse", "other robots: gain 0.8 to 1.2, delay 0 or 1, noise", robots=DIVERSE),
    EvaluationCondition("hard", "very different robots: gain 0.6 to 1.4, delay to 2, lag, noise, misses", robots=HARD),
)


def under_conditions(world: PracticeWorld, task: str, policy: Policy, seed: int, episodes: int) -> dict[str, float]:
    """By the name of the condition: success, `_violations` and `_decisions`; with the fallback `_guarded`, and
    `_fallbacks`, the share of the decisions that were left to it."""
    figures: dict[str, float] = {}
    for condition in CONDITIONS:
        guarded = GuardedPolicy(policy, task_kind(task).control)
        alone, with_fallback = (
            evaluate(
                actor,
                world.environment(task, episodes, randomisation=condition.robots, scenes=condition.scenes),
                FRESH_SEED + seed,
            )
            for actor in (policy, guarded)
        )
        figures |= {
            condition.name: alone.success,
            f"{condition.name}_violations": alone.violations,
            f"{condition.name}_decisions": alone.mean_decisions,
            f"{condition.name}_guarded": with_fallback.success,
            f"{condition.name}_fallbacks": guarded.fallbacks / max(1, guarded.decisions),
        }
    return figures
