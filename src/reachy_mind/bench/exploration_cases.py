"""Trainings of task 15: what reaches the body while a policy that knows nothing yet tries things out.

Every target that the body gets is checked here anew, by the limits of the control loop and inverse kinematics: ranges,
speeds, the turn of the neck, reach. Reference: the same training without the safety filter.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reachy_mind.bench.learning_cases import Exploration
from reachy_mind.body.limits import MAX_YAW_DIFFERENCE, RANGES
from reachy_mind.errors import MissingExtra
from reachy_mind.learning.environments.bodies import DECISION_S, Array, BatchBody, Mask
from reachy_mind.learning.environments.environment import DIVERSE, NOMINAL, BatchEnvironment
from reachy_mind.learning.environments.safety import Reach, SafetyFilter
from reachy_mind.learning.training.plan import TrainingPlan
from reachy_mind.learning.training.world import PracticeWorld
from reachy_mind.motion.limits import BODY_YAW, MOVING, NAMES, YAW

ROBOTS, SEED = 10, 3
TOLERANCE = 1e-4
MOST_VIOLATIONS = 0.01
"""Of the decisions of a training may be corrected by the filter."""
SPOILT = 0.05
"""Share of wild actions that are no numbers."""


@dataclass(frozen=True)
class ExplorationOutcome:
    """`unsafe`: targets that reached the body and should not have; `violations`: share of the decisions that the filter
    corrected."""

    targets: int
    unsafe: int
    violations: float
    broken: str = ""
    """What ended it early."""


class CheckedBody:
    """A body that counts the unsafe targets which it is sent."""

    def __init__(self, body: BatchBody, reach: Reach) -> None:
        self._body, self._reach = body, reach
        self.count = body.count
        self.poses: Array = body.poses
        self._last: Array = body.poses.copy()
        self._low, self._high = (np.array([RANGES[name][end] for name in NAMES]) for end in (0, 1))
        self._step = np.array(MOVING.sent().velocity) * DECISION_S
        self.targets = self.unsafe = 0

    def reset(self, rows: Mask) -> None:
        self._body.reset(rows)
        self.poses = self._body.poses
        self._last[rows] = self.poses[rows]

    def move(self, targets: Array) -> None:
        beyond = (targets < self._low - TOLERANCE) | (targets > self._high + TOLERANCE) | ~np.isfinite(targets)
        fast = np.abs(targets - self._last) > self._step + TOLERANCE
        twisted = np.abs(targets[:, YAW] - targets[:, BODY_YAW]) > MAX_YAW_DIFFERENCE + TOLERANCE
        unreached = self._reach.margins(targets) < 0.0
        self.unsafe += int((beyond.any(axis=1) | fast.any(axis=1) | twisted | unreached).sum())
        self.targets += len(targets)
        self._last = targets.copy()
        self._body.move(targets)
        self.poses = self._body.poses

    def close(self) -> None:
        self._body.close()


class Unfiltered:
    """No safety filter."""

    def safe(self, commanded: Array, targets: Array) -> tuple[Array, Mask]:  # noqa: ARG002
        return targets, np.zeros(len(targets), np.bool_)


def explored(world: PracticeWorld, case: Exploration, *, filtered: bool) -> ExplorationOutcome:
    """Train from nothing. Raises MissingExtra."""
    body = CheckedBody(world.body(case.body, ROBOTS), world.reach)
    environment = BatchEnvironment(
        world.task(case.task, ROBOTS),
        body,
        SafetyFilter(world.reach) if filtered else Unfiltered(),
        seed=SEED,
        randomisation=DIVERSE if case.randomised else NOMINAL,
    )
    try:
        violations = _wild(environment, case.episodes) if case.wild else _trained(environment, case)
        return ExplorationOutcome(body.targets, body.unsafe, violations)
    except ValueError as error:  # physics has no joints for a target
        return ExplorationOutcome(body.targets, body.unsafe, 0.0, str(error))
    finally:
        environment.close()


def exploration_failures(case: Exploration, outcome: ExplorationOutcome) -> list[str]:
    """Why a training was not safe."""
    wrong = [f"{outcome.unsafe} of {outcome.targets} targets that reached the body were unsafe"] * bool(outcome.unsafe)
    if not case.wild and outcome.violations > MOST_VIOLATIONS:
        wrong.append(f"{outcome.violations:.2%} of the decisions were violations")
    return [*wrong, *[outcome.broken] * bool(outcome.broken)]


def _trained(environment: BatchEnvironment, case: Exploration) -> float:
    """The share of violations in a training."""
    try:
        from reachy_mind.learning.training.learners import learner_for
        from reachy_mind.learning.training.simulated_trainer import SimulatedTrainer
    except ImportError as error:
        raise MissingExtra("training a policy", "learning") from error
    plan = TrainingPlan(task=case.task, algorithm=case.algorithm, seed=SEED, episodes=case.episodes)
    judge = SimulatedTrainer(SEED) if case.algorithm == "tamer" else None
    return learner_for(plan, environment, None).learn_from(environment, case.episodes, judge).violations


def _wild(environment: BatchEnvironment, episodes: int) -> float:
    """The share of violations of actions that nobody chose."""
    rng, violations, decisions = np.random.default_rng(SEED), 0, 0
    environment.reset()
    for _ in range(-(-episodes // environment.count) * environment.task.horizon):
        actions = rng.uniform(-1.5, 1.5, (environment.count, environment.task.action_size)).astype(np.float32)
        actions[rng.random(environment.count) < SPOILT] = np.nan
        violations += int(environment.step(actions).violations.sum())
        decisions += environment.count
    return violations / decisions
