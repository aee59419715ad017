"""Shifts of task 14: a policy meets robots and places that its training did not have.

Ours: the policy with its fallback to geometry, adapted in ten episodes on one robot of that kind. Reference: the policy
alone. Counted are 100 other episodes on such robots: the head points where it should, and the safety filter has hardly
anything to correct.
"""

from __future__ import annotations

from dataclasses import dataclass

from reachy_mind.bench.learning_cases import Shift
from reachy_mind.errors import MissingExtra
from reachy_mind.learning.environments.catalogue import task_kind
from reachy_mind.learning.environments.environment import BatchEnvironment
from reachy_mind.learning.evaluation.success import PolicyFigures, evaluate
from reachy_mind.learning.policies.guarded import GuardedPolicy
from reachy_mind.learning.policies.policy import Actor, Policy
from reachy_mind.learning.training.world import PracticeWorld

DEMONSTRATIONS, SEED, FRESH_SEED = 10, 3, 2_000_003
EPISODES = {"kinematic": 100, "physics": 32, "gpu": 100}
ENOUGH, MOST_VIOLATIONS = 0.9, 0.01


@dataclass(frozen=True)
class ShiftOutcome:
    ours: PolicyFigures
    reference: PolicyFigures


def shift_outcome(world: PracticeWorld, shift: Shift, policies: dict[tuple[str, str], Policy]) -> ShiftOutcome:
    """Run one case. `policies`: those that were trained before. Raises MissingExtra."""
    try:
        from reachy_mind.learning.algorithms.adaptation import ActionEffect, adapted
        from reachy_mind.learning.evaluation.demonstration_study import cloned
    except ImportError as error:
        raise MissingExtra("training a policy", "learning") from error
    key = shift.task, shift.trained_in
    if key not in policies:
        policies[key] = cloned(world, shift.task, DEMONSTRATIONS, SEED, shift.trained_in)
    policy, robots = policies[key], shift.robots

    def environment(count: int) -> BatchEnvironment:
        return world.environment(
            shift.task, count, body=shift.body, seed=SEED, randomisation=robots, scenes=shift.scenes
        )

    def judged(actor: Actor) -> PolicyFigures:
        held_out = environment(EPISODES[shift.body])
        try:
            return evaluate(actor, held_out, FRESH_SEED)
        finally:
            held_out.close()

    effect = ActionEffect.met(policy, world.environment(shift.task, 30, seed=SEED, scenes=shift.trained_in))
    one = environment(1)
    try:
        adaptive = adapted(GuardedPolicy(policy, task_kind(shift.task).control), effect, one)
    finally:
        one.close()
    return ShiftOutcome(judged(adaptive.settled()), judged(policy))


def shift_failures(figures: PolicyFigures) -> list[str]:
    """Why a policy does not cope with a shift."""
    wrong = [] if figures.success >= ENOUGH else [f"succeeds in {figures.success:.0%}"]
    if figures.violations > MOST_VIOLATIONS:
        wrong.append(f"{figures.violations:.1%} of its actions are unsafe")
    return wrong
