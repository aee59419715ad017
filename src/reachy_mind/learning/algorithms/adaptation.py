"""`AdaptivePolicy`: a policy that learns within a few episodes how this robot answers, and compensates for it.

    effect = ActionEffect.met(policy, environment)      # what an action does on the robot of the model
    adaptive = AdaptivePolicy(policy, effect)
    actions = adaptive.act(observations)                # `adaptive.begin(rows)` when episodes begin anew
    adaptive.response.gain, adaptive.response.delay     # 0.5, 2.0: half as strong, two decisions late

A robot that answers weakly, strongly or late does so all the time. So its response to an action (so much in the same
decision, so much in the next) is estimated by least squares from what earlier actions did; it begins as that of the
model. The policy is then asked about the observation that will be there when all actions on their way have had their
effect (a Smith predictor), and what it decides is divided by the gain. The policy itself stays as it is.

Ten more episodes of DAgger on such a robot do not help: neither policy nor expert remembers what is on its way.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reachy_mind.learning.environments.bodies import Array, Mask
from reachy_mind.learning.environments.environment import BatchEnvironment
from reachy_mind.learning.environments.task import Actions, Observations
from reachy_mind.learning.policies.policy import Actor

MEMORY = 5
"""Decisions in which an action may have its effect."""
EPISODES = 10
"""Enough to know a response."""
EXPLAINED = 0.8
"""Share of the change of a value that actions must explain on the robot of the model for it to be used."""
LEAST_GAIN, MOST_GAIN = 0.2, 5.0
PRIOR = 0.1
"""Weight of the model's own response: as of so many decisions with an action of 1."""
SWEEPS = 100


@dataclass(frozen=True)
class ActionEffect:
    """`matrix` (actions, observations): the change of an observation by an action of 1; `drift`: without any action.
    Zero where actions explain little."""

    matrix: Array
    drift: Array

    @classmethod
    def of(cls, actions: Actions, changes: Array) -> ActionEffect:
        """By least squares, from rows of actions and the changes of the observation in that decision."""
        known = np.concatenate([actions, np.ones((len(actions), 1))], axis=1).astype(np.float64)
        found: Array = np.asarray(np.linalg.lstsq(known, np.asarray(changes, np.float64), rcond=None)[0], np.float64)
        left = ((changes - known @ found) ** 2).sum(axis=0)
        total = ((changes - changes.mean(axis=0)) ** 2).sum(axis=0)
        explained = (total > 0) & (left <= (1.0 - EXPLAINED) * total)
        found[:, ~explained] = 0.0
        return cls(found[:-1], found[-1])

    @classmethod
    def met(cls, policy: Actor, environment: BatchEnvironment) -> ActionEffect:
        """What the actions of a policy do in an environment, in one episode on each robot."""
        observations = environment.reset()
        running, rows = np.ones(environment.count, np.bool_), []
        while running.any():
            actions = np.clip(policy.act(observations), -1.0, 1.0)
            step = environment.step(actions)
            rows.append((actions[running], (step.final_observations - observations)[running]))
            observations, running = step.observations, running & ~step.over
        return cls.of(np.concatenate([done for done, _ in rows]), np.concatenate([change for _, change in rows]))


@dataclass(frozen=True)
class RobotResponse:
    """`shares`: of the model's effect that an action has in the same decision, in the next, and so on."""

    shares: tuple[float, ...] = (1.0, *(0.0,) * (MEMORY - 1))

    @property
    def gain(self) -> float:
        """The whole effect, 1 as in the model."""
        return float(np.clip(sum(self.shares), LEAST_GAIN, MOST_GAIN))

    @property
    def delay(self) -> float:
        """The mean number of decisions until the effect."""
        weights = np.abs(self.shares)
        return float(weights @ np.arange(len(weights)) / max(float(weights.sum()), 1e-9))

    @property
    def on_their_way(self) -> Array:
        """Shares of the effect that the action of the last decision still has to have, of the one before, and so on."""
        return np.array([sum(self.shares[age + 1 :]) for age in range(len(self.shares))])


class CompensatedPolicy:
    """Acts through a policy, for a robot with this response. `begin` says which robots begin a new episode."""

    def __init__(self, policy: Actor, effect: ActionEffect, response: RobotResponse = RobotResponse()) -> None:  # noqa: B008
        self._policy, self._effect, self.response = policy, effect, response
        self.sent: Array = np.zeros((0, 0, 0))
        """The latest actions, newest first: (MEMORY, robots, actions)."""

    def copied(self) -> CompensatedPolicy:
        """The same for other robots."""
        return CompensatedPolicy(self._policy, self._effect, self.response)

    def begin(self, rows: Mask) -> None:
        if self.sent.shape[1] == len(rows):
            self.sent[:, rows] = 0.0

    def act(self, observations: Observations) -> Actions:
        """Actions in -1..1 for observations (rows)."""
        if self.sent.shape[1] != len(observations):
            self.sent = np.zeros((MEMORY, len(observations), len(self._effect.matrix)))
        pending = np.tensordot(self.response.on_their_way, self.sent, 1)
        expected = (observations + pending @ self._effect.matrix).astype(np.float32)
        actions: Actions = np.clip(self._policy.act(expected) / self.response.gain, -1.0, 1.0).astype(np.float32)
        self.sent = np.concatenate([actions[None].astype(np.float64), self.sent[:-1]])
        return actions


class AdaptivePolicy:
    """A `CompensatedPolicy` whose response is estimated anew whenever an episode ends."""

    def __init__(self, policy: Actor, effect: ActionEffect) -> None:
        self._effect = effect
        self._acting = CompensatedPolicy(policy, effect)
        scale = float((effect.matrix**2).sum())
        self._products: Array = np.eye(MEMORY) * PRIOR * scale
        self._targets: Array = self._products @ np.array(RobotResponse().shares)
        self._before: Observations | None = None
        self._running: Mask = np.zeros(0, np.bool_)

    @property
    def response(self) -> RobotResponse:
        """As far as it is known."""
        return self._acting.response

    def settled(self) -> CompensatedPolicy:
        """What was learned so far, as a policy that learns no more."""
        return self._acting.copied()

    def begin(self, rows: Mask) -> None:
        """These robots begin a new episode: what was learned is used from now on."""
        if not rows.any():
            return
        self._acting.begin(rows)
        if len(self._running) == len(rows):
            self._running &= ~rows
        self._acting.response = RobotResponse(tuple(_non_negative(self._products, self._targets).tolist()))

    def act(self, observations: Observations) -> Actions:
        """Actions in -1..1 for observations (rows), after a look at what the last ones did."""
        if self._before is not None and self._running.shape == (len(observations),):
            self._learn(observations - self._before)
        self._before, self._running = observations.copy(), np.ones(len(observations), np.bool_)
        return self._acting.act(observations)

    def _learn(self, changes: Observations) -> None:
        rows = self._running
        effects = self._acting.sent[:, rows] @ self._effect.matrix  # (MEMORY, robots, observations)
        used = np.abs(self._effect.matrix).sum(axis=0) > 0
        columns = effects[:, :, used].reshape(MEMORY, -1)
        moved = (changes[rows] - self._effect.drift)[:, used].ravel()
        self._products += columns @ columns.T
        self._targets += columns @ moved


def adapted(
    policy: Actor, effect: ActionEffect, environment: BatchEnvironment, episodes: int = EPISODES
) -> AdaptivePolicy:
    """A policy that has acted for so many whole episodes on the robots of an environment, which answer alike."""
    adaptive = AdaptivePolicy(policy, effect)
    observations = environment.reset()
    adaptive.begin(np.ones(environment.count, np.bool_))
    while episodes > 0:
        step = environment.step(adaptive.act(observations))
        adaptive.begin(step.over)
        episodes -= int(step.over.sum())
        observations = step.observations
    return adaptive


def _non_negative(products: Array, targets: Array) -> Array:
    """The least squares solution without negative values, from the normal equations, by coordinate descent: no action
    turns a head the other way, but a head at its top speed looks as if one did."""
    found: Array = np.zeros(len(targets))
    for _ in range(SWEEPS):
        for index in range(len(found)):
            rest = targets[index] - products[index] @ found + products[index, index] * found[index]
            found[index] = max(0.0, rest / products[index, index])
    return found
