"""Soft actor-critic (Haarnoja et al. 2018), in one file.

    sac = SAC(task.observation_size, task.action_size, SACPlan(), seed=1)
    figures = sac.learn_from(environment, episodes=100)
    policy = sac.policy()

The policy is tanh of a Gaussian; two critics, of which the lower counts, and a temperature that learns how much to
explore. Each decision is followed by several updates from all that is kept: slower than PPO, with fewer episodes.
Each round of episodes draws the seed of its scenes from the state: a run that is restored goes on exactly as it would
have.
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
from reachy_mind.learning.environments.bodies import Mask
from reachy_mind.learning.environments.environment import BatchEnvironment, BatchStep
from reachy_mind.learning.environments.task import Actions, Observations
from reachy_mind.learning.policies.policy import Policy

LOG_DEVIATION = (-4.0, 0.0)
"""Least and most of the policy's noise, before tanh."""
SEEDS = 2**31
TINY = 1e-6


@dataclass(frozen=True)
class SACPlan:
    """How to learn. `buffer`: most decisions that are kept; `starts`: decisions before the first update;
    `updates`: for each decision of a robot; `entropy`: that the temperature aims at, for each action."""

    gamma: float = 0.99
    buffer: int = 10_000
    starts: int = 200
    updates: int = 2
    batch: int = 128
    hidden: tuple[int, ...] = (64, 64)
    critic_hidden: tuple[int, ...] = (128, 128)
    rate: float = 1e-3
    soft: float = 0.01
    deviation: float = 0.2
    temperature: float = 0.05
    entropy: float = -1.5
    observation_scale: float = 0.5
    imitation: float = 1.0
    """Weight of the difference to what was demonstrated, where something was."""


DENSE_REWARD = SACPlan(gamma=0.5)
"""For tasks whose reward tells of each decision whether it was good, as `look_at`: learns faster."""


class SAC:
    """Learns a policy from episodes. The same seed gives the same policy."""

    def __init__(self, observation_size: int, action_size: int, plan: SACPlan = SACPlan(), seed: int = 0) -> None:  # noqa: B008
        self.plan, self.episodes, self.decisions, self.updates = plan, 0, 0, 0
        self._action_size = action_size
        self._rng = np.random.default_rng(seed)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self._actor = network((observation_size, *plan.hidden, 2 * action_size), nn.Tanh, last_gain=0.01)
            sizes = (observation_size + action_size, *plan.critic_hidden, 1)
            self._critics = nn.ModuleList([network(sizes, nn.ReLU) for _ in range(2)])
        last: Any = self._actor[-1]
        last.bias.data[action_size:] = float(np.log(plan.deviation))
        self._targets = copy.deepcopy(self._critics)
        self._log_temperature = nn.Parameter(torch.tensor(float(np.log(plan.temperature))))
        self._actor_optimiser = torch.optim.Adam(self._actor.parameters(), plan.rate)
        self._critic_optimiser = torch.optim.Adam(self._critics.parameters(), plan.rate)
        self._temperature_optimiser = torch.optim.Adam([self._log_temperature], plan.rate)
        width = 2 * observation_size + action_size + 2
        self._kept = torch.zeros((plan.buffer, width))
        """Rows of observation, following observation, action, reward, whether the episode was over."""
        self._numbers = torch.full((plan.buffer,), -1, dtype=torch.int64)
        """The episode of each row."""
        self._demonstrated = torch.zeros((0, observation_size + action_size))
        self._columns = [observation_size, observation_size, action_size, 1, 1]

    def act(self, observations: Observations, explore: bool) -> Actions:
        """Actions in -1..1 for observations (rows); with noise to explore."""
        with torch.no_grad():
            mean, log_deviation = self._gaussian(torch.from_numpy(observations))
            if explore:
                mean = mean + log_deviation.exp() * self._noise(mean)
            actions: Actions = torch.tanh(mean).numpy()
        return actions

    def learn_from(self, environment: BatchEnvironment, episodes: int, judge: Judge | None = None) -> TrainingFigures:
        """Practise so many whole episodes, with updates after every decision. `judge` is asked after each."""
        tally, left = Tally(), episodes
        while left > 0:
            count = min(left, environment.count)
            observations = environment.reset(int(self._rng.integers(SEEDS)))
            counting, practised = np.arange(environment.count) < count, PractisedRound(self.episodes)
            while counting.any():
                actions = cautious(environment, partial(self.act, observations, explore=True))
                step = environment.step(actions)
                tally.add(step, counting)
                practised.add(step, counting)
                self._keep(observations, actions, step, counting)
                if self.decisions >= self.plan.starts:
                    for _ in range(self.plan.updates * int(counting.sum())):
                        self._update()
                observations, counting = step.observations, counting & ~step.over
            left -= count
            self.episodes += count
            for credit in judge(practised.episodes()) if judge is not None else ():
                self._credit(credit, environment.weights.human)
        return tally.figures()

    def show(self, observations: Observations, actions: Actions) -> None:
        """Demonstrations: from now on the policy is also drawn towards what they do."""
        rows = np.concatenate([observations, actions], axis=1).astype(np.float32)
        self._demonstrated = torch.cat([self._demonstrated, torch.from_numpy(rows)])

    def experience(self) -> Observations:
        """What was observed in the decisions that are kept."""
        seen: Observations = self._kept[: min(self.decisions, self.plan.buffer), : self._columns[0]].numpy().copy()
        return seen

    def policy(self, meta: Mapping[str, Any] | None = None) -> Policy:
        """What was learned, without noise."""
        learned = {"algorithm": "sac", "episodes": self.episodes, "plan": asdict(self.plan)}
        return exported(self._actor, self._action_size, self.plan.observation_scale, learned | dict(meta or {}))

    def state(self) -> dict[str, Any]:
        """All that the next update depends on."""
        parts = {name: part.state_dict() for name, part in self._parts().items()}
        kept = self._kept[: min(self.decisions, self.plan.buffer)]
        counters = {"episodes": self.episodes, "decisions": self.decisions, "updates": self.updates}
        numbers = self._numbers[: len(kept)].clone()
        rest = {"log_temperature": self._log_temperature.detach(), "kept": kept.clone(), "numbers": numbers}
        rest["demonstrated"] = self._demonstrated
        return copy.deepcopy(parts | counters | rest | {"rng": self._rng.bit_generator.state})

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from there, with the same plan and sizes."""
        given = copy.deepcopy(dict(state))
        for name, part in self._parts().items():
            part.load_state_dict(given[name])
        self._log_temperature.data.copy_(given["log_temperature"])
        self._kept[: len(given["kept"])] = given["kept"]
        self._numbers[: len(given["numbers"])] = given["numbers"]
        self._demonstrated = given["demonstrated"]
        self.episodes, self.decisions, self.updates = given["episodes"], given["decisions"], given["updates"]
        self._rng.bit_generator.state = given["rng"]

    def _parts(self) -> dict[str, Any]:
        return {
            "actor": self._actor,
            "critics": self._critics,
            "targets": self._targets,
            "actor_optimiser": self._actor_optimiser,
            "critic_optimiser": self._critic_optimiser,
            "temperature_optimiser": self._temperature_optimiser,
        }

    def _noise(self, like: torch.Tensor) -> torch.Tensor:
        return torch.from_numpy(self._rng.standard_normal(tuple(like.shape), np.float32))

    def _gaussian(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Mean and logarithm of the deviation, before tanh."""
        mean, log_deviation = self._actor(observations / self.plan.observation_scale).chunk(2, dim=-1)
        return mean, log_deviation.clamp(*LOG_DEVIATION)

    def _drawn(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Actions, and the logarithm of how likely they were."""
        mean, log_deviation = self._gaussian(observations)
        noise = self._noise(mean)
        actions = torch.tanh(mean + log_deviation.exp() * noise)
        density = -0.5 * noise**2 - log_deviation - 0.5 * float(np.log(2 * np.pi))
        return actions, (density - torch.log(1.0 - actions**2 + TINY)).sum(-1)

    def _lower(self, critics: nn.ModuleList, observations: torch.Tensor, actions: torch.Tensor) -> torch.Tensor:
        first, second = self._values(critics, observations, actions)
        return torch.minimum(first, second)

    def _values(self, critics: nn.ModuleList, observations: torch.Tensor, actions: torch.Tensor) -> list[torch.Tensor]:
        given = torch.cat([observations / self.plan.observation_scale, actions], dim=-1)
        return [critic(given).squeeze(-1) for critic in critics]

    def _keep(self, observations: Observations, actions: Actions, step: BatchStep, counting: Mask) -> None:
        """The newest decisions take the place of the oldest. The time limit is an end: policies see it."""
        columns = (observations, step.final_observations, actions, step.rewards[:, None], step.over[:, None])
        rows = np.concatenate(columns, axis=1)[counting].astype(np.float32)
        places = (self.decisions + np.arange(len(rows))) % self.plan.buffer
        self._kept[torch.from_numpy(places)] = torch.from_numpy(rows)
        self._numbers[torch.from_numpy(places)] = torch.from_numpy(self.episodes + np.flatnonzero(counting))
        self.decisions += len(rows)

    def _credit(self, credit: Credit, weight: float) -> None:
        """Feedback on an episode, spread over its decisions; nothing when it is no longer kept."""
        rows = (self._numbers == credit.episode).nonzero().squeeze(-1)
        oldest_first = rows[torch.argsort((rows - self.decisions) % self.plan.buffer)]
        credited = oldest_first[credit.first : credit.end]
        self._kept[credited, -2] += weight * credit.reward / max(1, len(credited))

    def _difference(self) -> torch.Tensor:
        """Mean squared difference to some of the demonstrated decisions."""
        rows = self._rng.integers(len(self._demonstrated), size=self.plan.batch)
        shown = self._demonstrated[torch.from_numpy(rows)]
        seen, done = shown[:, : -self._action_size], shown[:, -self._action_size :]
        difference: torch.Tensor = ((torch.tanh(self._gaussian(seen)[0]) - done) ** 2).mean()
        return difference

    def _update(self) -> None:
        plan = self.plan
        rows = self._rng.integers(min(self.decisions, plan.buffer), size=plan.batch)
        kept: Any = self._kept[torch.from_numpy(rows)]
        seen, following, done, rewards, over = kept.split(self._columns, dim=1)
        temperature = self._log_temperature.exp().detach()
        with torch.no_grad():
            actions, likelihood = self._drawn(following)
            future = self._lower(self._targets, following, actions) - temperature * likelihood
            wanted = rewards.squeeze(1) + plan.gamma * (1.0 - over.squeeze(1)) * future
        error = sum(((values - wanted) ** 2).mean() for values in self._values(self._critics, seen, done))
        self._step(self._critic_optimiser, error)

        actions, likelihood = self._drawn(seen)
        loss = (temperature * likelihood - self._lower(self._critics, seen, actions)).mean()
        if len(self._demonstrated):
            loss = loss + plan.imitation * self._difference()
        self._step(self._actor_optimiser, loss)

        surplus = (likelihood.detach() + plan.entropy * self._action_size).mean()
        self._step(self._temperature_optimiser, -self._log_temperature * surplus)
        with torch.no_grad():
            for target, critic in zip(self._targets.parameters(), self._critics.parameters(), strict=True):
                target.lerp_(critic, plan.soft)
        self.updates += 1

    @staticmethod
    def _step(optimiser: torch.optim.Optimizer, loss: Any) -> None:
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
