"""Behaviour cloning: a policy that does what the demonstrations did, fitted by gradient descent.

`DAgger` goes on from there: the policy acts, the expert says what it would have done in each state that was met, and
the policy is fitted anew to all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import torch

from reachy_mind.learning.algorithms.practice import Judge, PractisedRound, Tally, TrainingFigures
from reachy_mind.learning.environments.environment import BatchEnvironment
from reachy_mind.learning.environments.task import Actions, Observations
from reachy_mind.learning.policies.policy import Policy

SEEDS = 2**31

Mirror = Callable[[Observations, Actions], tuple[Observations, Actions]]
"""The examples, and the same with left and right exchanged."""


@dataclass(frozen=True)
class CloningPlan:
    """How to fit. Few demonstrations want a small network that is held smooth."""

    hidden: tuple[int, ...] = (32, 32)
    steps: int = 800
    batch: int = 128
    rate: float = 3e-3
    jitter: float = 0.05
    """Noise that is added to the observations, in their scale."""
    decay: float = 0.3
    """Weight decay."""
    least_scale: float = 0.5
    """Observations that hardly varied are not magnified: they would mislead outside what was shown."""


def demonstrated(environment: BatchEnvironment, episodes: int) -> tuple[Observations, Actions]:
    """What the expert saw and did in so many whole episodes."""
    observations, rows = environment.reset(), []
    left = episodes
    counting = np.arange(environment.count) < episodes
    while left > 0:
        actions = environment.expert()
        rows.append((observations[counting], actions[counting]))
        step = environment.step(actions)
        left -= int((step.over & counting).sum())
        counting = counting & ~step.over
        if left > 0 and not counting.any():
            counting = np.arange(environment.count) < left
        observations = step.observations
    return np.concatenate([seen for seen, _ in rows]), np.concatenate([done for _, done in rows])


def clone(
    observations: Observations,
    actions: Actions,
    plan: CloningPlan = CloningPlan(),  # noqa: B008
    seed: int = 0,
    meta: Mapping[str, Any] | None = None,
) -> Policy:
    """A policy fitted to the examples. The same seed gives the same policy."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    mean, scale = np.zeros(observations.shape[1]), np.maximum(observations.std(axis=0), plan.least_scale)
    sizes = (observations.shape[1], *plan.hidden, actions.shape[1])
    linear = [torch.nn.Linear(before, after) for before, after in pairwise(sizes)]
    network = torch.nn.Sequential(*(part for layer in linear for part in (layer, torch.nn.Tanh())))
    optimiser = torch.optim.AdamW(network.parameters(), plan.rate, weight_decay=plan.decay)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, plan.steps)
    seen, done = torch.from_numpy(((observations - mean) / scale).astype(np.float32)), torch.from_numpy(actions)
    for _ in range(plan.steps):
        rows = torch.from_numpy(rng.integers(len(seen), size=plan.batch))
        batch = seen[rows] + plan.jitter * torch.randn(plan.batch, sizes[0])
        loss = torch.nn.functional.mse_loss(network(batch), done[rows])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
    layers = [(layer.weight.detach().numpy().T.copy(), layer.bias.detach().numpy().copy()) for layer in linear]
    return Policy(layers, mean.astype(np.float32), scale.astype(np.float32), dict(meta or {}))


class DAgger:
    """Dataset aggregation: the policy meets its own states, the expert labels them. `mirror`: the task's symmetry."""

    def __init__(
        self,
        observations: Observations,
        actions: Actions,
        plan: CloningPlan = CloningPlan(),  # noqa: B008
        seed: int = 0,
        mirror: Mirror | None = None,
    ) -> None:
        self.plan, self.episodes, self._seed, self._mirror = plan, 0, seed, mirror
        self._observations, self._actions = observations, actions
        self._rng = np.random.default_rng(seed)
        self._policy = self._fitted()

    def learn_from(self, environment: BatchEnvironment, episodes: int, judge: Judge | None = None) -> TrainingFigures:
        """Practise so many episodes; the expert labels every state that was met; fit anew to all of it.

        The expert's labels are the only feedback: a judge is told of the episodes, and what it says is not used.
        """
        tally, left = Tally(), episodes
        while left > 0:
            count = min(left, environment.count)
            observations = environment.reset(int(self._rng.integers(SEEDS)))
            counting, practised = np.arange(environment.count) < count, PractisedRound(self.episodes)
            while counting.any():
                self._observations = np.concatenate([self._observations, observations[counting]])
                self._actions = np.concatenate([self._actions, environment.expert()[counting]])
                step = environment.step(self._policy.act(observations))
                tally.add(step, counting)
                practised.add(step, counting)
                observations, counting = step.observations, counting & ~step.over
            left -= count
            self.episodes += count
            if judge is not None:
                judge(practised.episodes())
            self._policy = self._fitted()
        return tally.figures()

    def show(self, observations: Observations, actions: Actions) -> None:
        """More demonstrations, which count at once."""
        self._observations = np.concatenate([self._observations, observations])
        self._actions = np.concatenate([self._actions, actions])
        self._policy = self._fitted()

    def policy(self, meta: Mapping[str, Any] | None = None) -> Policy:
        learned = {"algorithm": "dagger", "episodes": self.episodes, "plan": asdict(self.plan)}
        return replace(self._policy, meta=learned | dict(meta or {}))

    def experience(self) -> Observations:
        """What was observed, by the expert and by the policy."""
        return self._observations

    def state(self) -> dict[str, Any]:
        """All that the next fit depends on."""
        rows = {"observations": self._observations, "actions": self._actions}
        tensors = {name: torch.from_numpy(table.copy()) for name, table in rows.items()}
        return tensors | {"episodes": self.episodes, "rng": self._rng.bit_generator.state}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from there, with the same plan."""
        self._observations, self._actions = state["observations"].numpy().copy(), state["actions"].numpy().copy()
        self.episodes, self._rng.bit_generator.state = state["episodes"], state["rng"]
        self._policy = self._fitted()

    def _fitted(self) -> Policy:
        shown = (self._observations, self._actions)
        return clone(*(self._mirror(*shown) if self._mirror is not None else shown), self.plan, self._seed)
