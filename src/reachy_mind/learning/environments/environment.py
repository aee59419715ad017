"""`BatchEnvironment`: a task and a body, many episodes at once.

    environment = BatchEnvironment(LookAtTask(64), KinematicBody(64), SafetyFilter(kinematics), seed=1)
    observations = environment.reset()
    step = environment.step(actions)      # (64, action_size) in -1..1

An episode that ends starts anew in the same step: `observations` are of the new one, `final_observations` of the old.
Each action becomes a target pose, which the filter makes safe; an action that it had to change is a violation.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from reachy_mind.learning.environments.bodies import DECISION_S, Array, BatchBody, Mask
from reachy_mind.learning.environments.task import Actions, BatchTask, DetectionErrors, Observations


class PoseFilter(Protocol):
    """Makes targets safe."""

    def safe(self, commanded: Array, targets: Array) -> tuple[Array, Mask]:
        """The nearest safe targets, and which rows had to be changed."""
        ...


@dataclass(frozen=True)
class Randomisation:
    """How a robot may differ from the model, drawn for each episode. All zero: as the model."""

    gain: tuple[float, float] = (1.0, 1.0)
    """Of an action's effect."""
    delay: tuple[int, int] = (0, 0)
    """Decisions until an action has its effect, both ends included."""
    noise_degrees: float = 0.0
    """Standard deviation of each bearing that is observed."""
    bias_degrees: float = 0.0
    """Largest constant error of the bearing in an episode."""
    lag: tuple[float, float] = (0.0, 0.0)
    """Share of the way to a target that is left at the end of a decision."""
    missed: float = 0.0
    """Share of the pictures in which the detector misses what is there."""


NOMINAL = Randomisation()
DIVERSE = Randomisation(gain=(0.8, 1.2), delay=(0, 1), noise_degrees=0.5, bias_degrees=1.0)


@dataclass(frozen=True)
class RewardWeights:
    """r_total = task * t + human * h + safety * s + efficiency * e."""

    task: float = 1.0
    human: float = 1.0
    safety: float = 0.1
    efficiency: float = 0.05


@dataclass(frozen=True)
class BatchStep:
    """One decision of every robot. `safety` is -1 where the action was unsafe, `efficiency` -1 for each decision."""

    observations: Observations
    rewards: Array
    terminated: Mask
    truncated: Mask
    final_observations: Observations
    success: Mask
    violations: Mask
    parts: dict[str, Array] = field(default_factory=dict)

    @property
    def over(self) -> Mask:
        return self.terminated | self.truncated


class BatchEnvironment:
    """Steps a task and a body together. Reproducible by its seed."""

    def __init__(
        self,
        task: BatchTask,
        body: BatchBody,
        safety: PoseFilter,
        *,
        seed: int = 0,
        randomisation: Randomisation = NOMINAL,
        weights: RewardWeights = RewardWeights(),  # noqa: B008
    ) -> None:
        self.task, self.body, self._safety = task, body, safety
        self.randomisation, self.weights = randomisation, weights
        self.count = body.count
        self.rng = np.random.default_rng(seed)
        self.steps: Array = np.zeros(self.count)
        self.commanded: Array = body.poses.copy()
        self._gain: Array = np.ones((self.count, 1))
        self._delay = np.zeros(self.count, np.int64)
        self._bias: Array = np.zeros((self.count, 2))
        self._lag: Array = np.zeros((self.count, 1))
        self._followed: Array = body.poses.copy()
        self._sent = np.zeros((randomisation.delay[1] + 1, self.count, task.action_size), np.float32)

    def reset(self, seed: int | None = None) -> Observations:
        """Begin new episodes everywhere."""
        if seed is not None:
            self.rng = np.random.default_rng(seed)
        self._begin(np.ones(self.count, np.bool_))
        return self._observed(np.ones(self.count, np.bool_))

    def step(self, actions: Actions) -> BatchStep:
        """One decision. Actions beyond -1..1 are cut; those that are not finite count as none, and as violations."""
        finite: Mask = np.asarray(np.isfinite(actions).all(axis=1))
        given = np.clip(np.where(finite[:, None], actions, 0.0), -1.0, 1.0).astype(np.float32)
        wanted = self.task.target(self._effect(given), self.commanded, self.body.poses)
        targets, unsafe = self._safety.safe(self.commanded, wanted)
        violations = unsafe | ~finite
        self.commanded = targets
        self._followed = targets + (self._followed - targets) * self._lag
        self.body.move(self._followed)
        self.task.advance(DECISION_S)
        self.steps += 1
        final = self._observed(np.ones(self.count, np.bool_))
        judged = self.task.judge(self.body.poses)
        terminated = judged.done
        truncated = (self.steps >= self.task.horizon) & ~terminated
        parts = {"task": judged.reward, "safety": -1.0 * violations, "efficiency": np.full(self.count, -1.0)}
        weights = self.weights
        rewards = sum(getattr(weights, name) * part for name, part in parts.items())
        observations, over = final, terminated | truncated
        if over.any():
            self._begin(over)
            observations = np.where(over[:, None], self._observed(over), final)
        return BatchStep(
            observations, np.asarray(rewards), terminated, truncated, final, judged.success, violations, parts
        )

    def unsafe(self, actions: Actions) -> Mask:
        """Which of these actions the filter would change now, on robots as in the model. Nothing moves."""
        given = np.clip(actions, -1.0, 1.0).astype(np.float32)
        return self._safety.safe(self.commanded, self.task.target(given, self.commanded, self.body.poses))[1]

    def expert(self) -> Actions:
        """What the task's expert would do now."""
        return self.task.expert(self.body.poses, self.commanded)

    def close(self) -> None:
        self.body.close()

    def _begin(self, rows: Mask) -> None:
        count, drawn = int(rows.sum()), self.randomisation
        self.body.reset(rows)
        self.commanded[rows] = self.body.poses[rows]
        self.steps[rows] = 0
        self._gain[rows] = self.rng.uniform(*drawn.gain, (count, 1))
        self._delay[rows] = self.rng.integers(drawn.delay[0], drawn.delay[1] + 1, count)
        self._bias[rows] = np.radians(self.rng.uniform(-1.0, 1.0, (count, 2)) * drawn.bias_degrees)
        if drawn.lag != (0.0, 0.0):
            self._lag[rows] = self.rng.uniform(*drawn.lag, (count, 1))
        self._followed[rows] = self.body.poses[rows]
        self._sent[:, rows] = 0.0
        self.task.reset(self.rng, rows, self.body.poses)

    def _effect(self, actions: Actions) -> Actions:
        """What these actions, or earlier ones, do now on robots that differ from the model."""
        if self._sent.shape[0] > 1:
            self._sent = np.roll(self._sent, 1, axis=0)
            self._sent[0] = actions
            actions = self._sent[self._delay, np.arange(self.count)]
        effect: Actions = (actions * self._gain).astype(np.float32)
        return effect

    def _observed(self, rows: Mask) -> Observations:
        """What all see, after a new picture for these rows."""
        self.task.perceive(rows, self.body.poses, self._detection_errors())
        return self.task.observe(self.body.poses, 1.0 - self.steps / self.task.horizon)

    def _detection_errors(self) -> DetectionErrors:
        drawn = self.randomisation
        bearing: Array = np.zeros((self.count, 2))
        if drawn.noise_degrees or drawn.bias_degrees:
            noise = self.rng.normal(0.0, np.radians(drawn.noise_degrees), (self.count, 2))
            bearing = noise + self._bias
        missed: Mask = np.zeros(self.count, np.bool_)
        if drawn.missed:
            missed = self.rng.random(self.count) < drawn.missed
        return DetectionErrors(bearing, missed)
