"""Proximal policy optimisation (Schulman et al. 2017), in one file.

    ppo = PPO(task.observation_size, task.action_size, PPOPlan(), seed=1)
    figures = ppo.learn_from(environment, episodes=100)
    policy = ppo.policy()

The policy is a Gaussian around tanh of a network. Episodes are collected whole; after every `update_every` of them the
policy is improved on these and on earlier ones that are still kept, each weighted by how likely the policy of now would
have done the same (as in GePPO, Queeney et al. 2021): a robot has few episodes, so none is used only once.
Each collection draws the seed of its scenes from the state: a run that is restored goes on exactly as it would have.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import nn

from reachy_mind.learning.algorithms.actor_critic import exported, network
from reachy_mind.learning.algorithms.practice import Credit, Judge, PractisedRound, Tally, TrainingFigures, cautious
from reachy_mind.learning.environments.environment import BatchEnvironment
from reachy_mind.learning.environments.task import Actions, Observations
from reachy_mind.learning.policies.policy import Policy

LEAST_DEVIATION = 1e-8
SEEDS = 2**31


@dataclass(frozen=True)
class PPOPlan:
    """How to learn. `buffer`: most decisions that are kept; `kept_updates`: in how many updates an episode is used;
    `deviation`: of the actions at the start."""

    gamma: float = 0.99
    clip: float = 0.2
    gae: float = 0.95
    buffer: int = 10_000
    update_every: int = 10
    kept_updates: int = 8
    hidden: tuple[int, ...] = (64, 64)
    rate: float = 1e-3
    epochs: int = 20
    batch: int = 64
    deviation: float = 0.25
    entropy: float = 0.0
    value_weight: float = 0.5
    largest_gradient: float = 0.5
    observation_scale: float = 0.5
    imitation: float = 1.0
    """Weight of the difference to what was demonstrated, where something was."""


DENSE_REWARD = PPOPlan(gamma=0.5)
"""For tasks whose reward tells of each decision whether it was good, as `look_at`: learns faster."""


@dataclass(frozen=True)
class Rollout:
    """Episodes side by side: (decisions, robots, ...). `counts` is false once a robot's episode is over."""

    observations: torch.Tensor
    following: torch.Tensor
    actions: torch.Tensor
    likelihood: torch.Tensor
    rewards: torch.Tensor
    over: torch.Tensor
    counts: torch.Tensor
    first: int
    """Number of the first episode; the others follow."""

    @property
    def episodes(self) -> int:
        return int(self.counts.shape[1])

    @property
    def decisions(self) -> int:
        return int(self.counts.sum())


class PPO:
    """Learns a policy from episodes. The same seed gives the same policy."""

    algorithm = "ppo"

    def __init__(self, observation_size: int, action_size: int, plan: PPOPlan = PPOPlan(), seed: int = 0) -> None:  # noqa: B008
        self.plan, self.episodes, self.updates = plan, 0, 0
        self._action_size = action_size
        self._rng = np.random.default_rng(seed)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self._actor = network((observation_size, *plan.hidden, action_size), nn.Tanh, last_gain=0.01)
            self._critic = network((observation_size, *plan.hidden, 1), nn.Tanh)
        self._log_deviation = nn.Parameter(torch.full((action_size,), float(np.log(plan.deviation))))
        self._parameters = [*self._actor.parameters(), *self._critic.parameters(), self._log_deviation]
        self._optimiser = torch.optim.Adam(self._parameters, plan.rate, eps=1e-5)
        self._kept: list[Rollout] = []
        self._demonstrated = torch.zeros((0, observation_size + action_size))

    def act(self, observations: Observations, explore: bool) -> Actions:
        """Actions for observations (rows); with noise to explore. These may be beyond -1..1."""
        with torch.no_grad():
            mean: Actions = self._mean(torch.from_numpy(observations)).numpy()
            if not explore:
                return mean
            noise = self._rng.standard_normal(mean.shape, np.float32)
            explored: Actions = mean + noise * self._log_deviation.exp().numpy()
            return explored

    def learn_from(self, environment: BatchEnvironment, episodes: int, judge: Judge | None = None) -> TrainingFigures:
        """Practise so many whole episodes, with an update after every `update_every`. `judge` is asked after each."""
        tally, left = Tally(), episodes
        while left > 0:
            wanted = remaining = min(left, self.plan.update_every)
            while remaining > 0:
                count = min(remaining, environment.count)
                practised = PractisedRound(self.episodes)
                self._keep(self._collected(environment, count, tally, practised))
                self.episodes += count
                for credit in judge(practised.episodes()) if judge is not None else ():
                    self._credit(credit, environment.weights.human)
                remaining -= count
            left -= wanted
            self._update()
        return tally.figures()

    def show(self, observations: Observations, actions: Actions) -> None:
        """Demonstrations: from now on the policy is also drawn towards what they do."""
        rows = np.concatenate([observations, actions], axis=1).astype(np.float32)
        self._demonstrated = torch.cat([self._demonstrated, torch.from_numpy(rows)])

    def experience(self) -> Observations:
        """What was observed in the episodes that are kept."""
        seen: Observations = torch.cat([rollout.observations[rollout.counts] for rollout in self._kept]).numpy()
        return seen

    def policy(self, meta: Mapping[str, Any] | None = None) -> Policy:
        """What was learned, without noise."""
        learned = {"algorithm": self.algorithm, "episodes": self.episodes, "plan": asdict(self.plan)}
        return exported(self._actor, self._action_size, self.plan.observation_scale, learned | dict(meta or {}))

    def state(self) -> dict[str, Any]:
        """All that the next update depends on."""
        return copy.deepcopy(
            {
                "actor": self._actor.state_dict(),
                "critic": self._critic.state_dict(),
                "log_deviation": self._log_deviation.detach(),
                "optimiser": self._optimiser.state_dict(),
                "kept": [vars(rollout) for rollout in self._kept],
                "demonstrated": self._demonstrated,
                "episodes": self.episodes,
                "updates": self.updates,
                "rng": self._rng.bit_generator.state,
            }
        )

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from there, with the same plan and sizes."""
        given = copy.deepcopy(dict(state))
        self._actor.load_state_dict(given["actor"])
        self._critic.load_state_dict(given["critic"])
        self._log_deviation.data.copy_(given["log_deviation"])
        self._optimiser.load_state_dict(given["optimiser"])
        self._kept = [Rollout(**rollout) for rollout in given["kept"]]
        self._demonstrated = given["demonstrated"]
        self.episodes, self.updates = given["episodes"], given["updates"]
        self._rng.bit_generator.state = given["rng"]

    def _mean(self, observations: torch.Tensor) -> torch.Tensor:
        return torch.tanh(self._actor(observations / self.plan.observation_scale))

    def _values(self, observations: torch.Tensor) -> torch.Tensor:
        values: torch.Tensor = self._critic(observations / self.plan.observation_scale).squeeze(-1)
        return values

    def _likelihood(self, observations: torch.Tensor, actions: torch.Tensor) -> torch.Tensor:
        """Logarithm of how likely the policy does this, up to a constant."""
        deviations = (actions - self._mean(observations)) / self._log_deviation.exp()
        likelihood: torch.Tensor = (-0.5 * deviations**2 - self._log_deviation).sum(-1)
        return likelihood

    def _collected(self, environment: BatchEnvironment, count: int, tally: Tally, practised: PractisedRound) -> Rollout:
        """One whole episode on each of the first `count` robots."""
        observations = environment.reset(int(self._rng.integers(SEEDS)))
        counting = np.arange(environment.count) < count
        columns: list[tuple[Any, ...]] = []
        while counting.any():
            actions = cautious(environment, partial(self.act, observations, explore=True))
            step = environment.step(actions)
            tally.add(step, counting)
            practised.add(step, counting)
            gained = step.rewards.astype(np.float32)
            columns.append((observations, step.final_observations, actions, gained, step.over, counting))
            observations, counting = step.observations, counting & ~step.over
        seen, following, done, rewards, over, counts = (
            torch.from_numpy(np.stack(column)[:, :count]) for column in zip(*columns, strict=True)
        )
        with torch.no_grad():
            likelihood = self._likelihood(seen, done)
        return Rollout(seen, following, done, likelihood, rewards, over, counts, self.episodes)

    def _credit(self, credit: Credit, weight: float) -> None:
        """Feedback on an episode, spread over its decisions; nothing when it is no longer kept."""
        for rollout in self._kept:
            column = credit.episode - rollout.first
            if 0 <= column < rollout.episodes:
                moments = rollout.counts[:, column].nonzero().squeeze(-1)[credit.first : credit.end]
                rollout.rewards[moments, column] += weight * credit.reward / max(1, len(moments))

    def _keep(self, fresh: Rollout) -> None:
        """Add the newest, drop the oldest."""
        self._kept.append(fresh)
        most = self.plan.kept_updates * self.plan.update_every
        while len(self._kept) > 1 and (
            sum(rollout.episodes for rollout in self._kept) > most
            or sum(rollout.decisions for rollout in self._kept) > self.plan.buffer
        ):
            self._kept.pop(0)

    def _advantages(self, rollout: Rollout) -> tuple[torch.Tensor, torch.Tensor]:
        """Generalised advantage estimates and returns, by the critic of now. The time limit is an end like any other:
        policies see how much time is left."""
        plan = self.plan
        values, following = self._values(rollout.observations), self._values(rollout.following)
        errors = rollout.rewards + plan.gamma * following * ~rollout.over - values
        advantages = torch.zeros_like(errors)
        last = torch.zeros_like(errors[0])
        for moment in reversed(range(len(errors))):
            last = errors[moment] + plan.gamma * plan.gae * last * ~rollout.over[moment]
            advantages[moment] = last
        return advantages, advantages + values

    def _difference(self) -> torch.Tensor:
        """Mean squared difference to some of the demonstrated decisions."""
        rows = self._rng.integers(len(self._demonstrated), size=self.plan.batch)
        shown = self._demonstrated[torch.from_numpy(rows)]
        seen, done = shown[:, : -self._action_size], shown[:, -self._action_size :]
        difference: torch.Tensor = ((self._mean(seen) - done) ** 2).mean()
        return difference

    def _update(self) -> None:
        plan = self.plan
        with torch.no_grad():
            estimates = [self._advantages(rollout) for rollout in self._kept]
            masks = [rollout.counts for rollout in self._kept]
            observations = torch.cat([rollout.observations[rollout.counts] for rollout in self._kept])
            actions = torch.cat([rollout.actions[rollout.counts] for rollout in self._kept])
            behaviour = torch.cat([rollout.likelihood[rollout.counts] for rollout in self._kept])
            advantages = torch.cat([estimate[0][mask] for estimate, mask in zip(estimates, masks, strict=True)])
            returns = torch.cat([estimate[1][mask] for estimate, mask in zip(estimates, masks, strict=True)])
            weights = (self._likelihood(observations, actions) - behaviour).exp()
            advantages = (advantages - advantages.mean()) / (advantages.std() + LEAST_DEVIATION)
        for _ in range(plan.epochs):
            order = torch.from_numpy(self._rng.permutation(len(observations)))
            for start in range(0, len(order), plan.batch):
                rows = order[start : start + plan.batch]
                ratio = (self._likelihood(observations[rows], actions[rows]) - behaviour[rows]).exp()
                clipped = torch.minimum(torch.maximum(ratio, weights[rows] - plan.clip), weights[rows] + plan.clip)
                gain = torch.minimum(ratio * advantages[rows], clipped * advantages[rows]).mean()
                error = ((self._values(observations[rows]) - returns[rows]) ** 2).mean()
                loss: Any = plan.value_weight * error - gain - plan.entropy * self._log_deviation.sum()
                if len(self._demonstrated):
                    loss = loss + plan.imitation * self._difference()
                self._optimiser.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self._parameters, plan.largest_gradient)
                self._optimiser.step()
        self.updates += 1
