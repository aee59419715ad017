"""TAMER (Knox and Stone 2008; with networks: Warnell et al. 2018), in one file: learning from live reward alone.

    tamer = TAMER(task.observation_size, task.action_size, TAMERPlan(), seed=1)
    figures = tamer.learn_from(environment, episodes=100, judge=person)

What a person would say of a decision is learned as a function of what was observed and what was done. The policy does
what would please most. There is no return: people judge a decision with its future in mind already. Feedback on part of
an episode (`Credit.first`, `end`) counts for these decisions; decisions without feedback teach nothing, except that an
action which the safety filter had to change counts as a bad one.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from reachy_mind.learning.algorithms.actor_critic import exported, network
from reachy_mind.learning.algorithms.practice import Credit, Judge, PractisedRound, Tally, TrainingFigures, cautious
from reachy_mind.learning.environments.bodies import Mask
from reachy_mind.learning.environments.environment import BatchEnvironment, BatchStep
from reachy_mind.learning.environments.task import Actions, Observations
from reachy_mind.learning.policies.policy import Policy

SEEDS = 2**31


@dataclass(frozen=True)
class TAMERPlan:
    """`buffer`: most decisions that are kept; `updates`: after each round of episodes; `deviation`: of the actions, to
    explore."""

    buffer: int = 10_000
    updates: int = 150
    batch: int = 128
    hidden: tuple[int, ...] = (64, 64)
    rate: float = 1e-3
    deviation: float = 0.35
    observation_scale: float = 0.5


class TAMER:
    """Learns a policy from feedback on its decisions. The same seed and feedback give the same policy."""

    def __init__(self, observation_size: int, action_size: int, plan: TAMERPlan = TAMERPlan(), seed: int = 0) -> None:  # noqa: B008
        self.plan, self.episodes, self.decisions = plan, 0, 0
        self._sizes = observation_size, action_size
        self._rng = np.random.default_rng(seed)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self._actor = network((observation_size, *plan.hidden, action_size), nn.Tanh, last_gain=0.01)
            self._pleasure = network((observation_size + action_size, *plan.hidden, 1), nn.Tanh)
        self._actor_optimiser = torch.optim.Adam(self._actor.parameters(), plan.rate)
        self._pleasure_optimiser = torch.optim.Adam(self._pleasure.parameters(), plan.rate)
        self._kept = torch.zeros((plan.buffer, observation_size + action_size + 2))
        """Rows of observation, action, sum of the feedback, number of times feedback was given."""
        self._numbers = torch.full((plan.buffer,), -1, dtype=torch.int64)
        """The episode of each row."""

    def act(self, observations: Observations, explore: bool) -> Actions:
        """Actions in -1..1 for observations (rows); with noise to explore."""
        with torch.no_grad():
            actions: Actions = self._mean(torch.from_numpy(observations)).numpy()
        if explore:
            noise = self._rng.normal(0.0, self.plan.deviation, actions.shape)
            actions = np.clip(actions + noise, -1.0, 1.0).astype(np.float32)
        return actions

    def learn_from(self, environment: BatchEnvironment, episodes: int, judge: Judge | None = None) -> TrainingFigures:
        """Practise so many whole episodes; learn from what `judge` says after each round of them."""
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
                observations, counting = step.observations, counting & ~step.over
            left -= count
            self.episodes += count
            for credit in judge(practised.episodes()) if judge is not None else ():
                self._credit(credit)
            self._update()
        return tally.figures()

    def show(self, observations: Observations, actions: Actions) -> None:
        """Demonstrations: decisions of somebody else, each as good as can be. They belong to no episode."""
        best = np.ones((len(observations), 2), np.float32)
        self._append(np.concatenate([observations, actions, best], axis=1), np.full(len(observations), -1))

    def policy(self, meta: Mapping[str, Any] | None = None) -> Policy:
        """What was learned, without noise."""
        learned = {"algorithm": "tamer", "episodes": self.episodes, "plan": asdict(self.plan)}
        return exported(self._actor, self._sizes[1], self.plan.observation_scale, learned | dict(meta or {}))

    def experience(self) -> Observations:
        """What was observed in the decisions that are kept."""
        seen: Observations = self._kept[: self._count, : self._sizes[0]].numpy().copy()
        return seen

    def state(self) -> dict[str, Any]:
        """All that the next update depends on."""
        parts = {name: part.state_dict() for name, part in self._parts().items()}
        kept = {"kept": self._kept[: self._count], "numbers": self._numbers[: self._count]}
        counters = {"episodes": self.episodes, "decisions": self.decisions, "rng": self._rng.bit_generator.state}
        return copy.deepcopy(parts | kept | counters)

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from there, with the same plan and sizes."""
        given = copy.deepcopy(dict(state))
        for name, part in self._parts().items():
            part.load_state_dict(given[name])
        self._kept[: len(given["kept"])], self._numbers[: len(given["kept"])] = given["kept"], given["numbers"]
        self.episodes, self.decisions = given["episodes"], given["decisions"]
        self._rng.bit_generator.state = given["rng"]

    @property
    def _count(self) -> int:
        return min(self.decisions, self.plan.buffer)

    def _parts(self) -> dict[str, Any]:
        return {
            "actor": self._actor,
            "pleasure": self._pleasure,
            "actor_optimiser": self._actor_optimiser,
            "pleasure_optimiser": self._pleasure_optimiser,
        }

    def _mean(self, observations: torch.Tensor) -> torch.Tensor:
        mean: torch.Tensor = torch.tanh(self._actor(observations / self.plan.observation_scale))
        return mean

    def _expected(self, observations: torch.Tensor, actions: torch.Tensor) -> torch.Tensor:
        """The feedback that is expected for these decisions."""
        given = torch.cat([observations / self.plan.observation_scale, actions], dim=-1)
        expected: torch.Tensor = self._pleasure(given).squeeze(-1)
        return expected

    def _keep(self, observations: Observations, actions: Actions, step: BatchStep, counting: Mask) -> None:
        feedback = np.stack([-1.0 * step.violations, step.violations], axis=1)
        rows = np.concatenate([observations, actions, feedback], axis=1)[counting]
        self._append(rows, self.episodes + np.flatnonzero(counting))

    def _append(self, rows: NDArray[Any], numbers: NDArray[np.int64]) -> None:
        places = torch.from_numpy((self.decisions + np.arange(len(rows))) % self.plan.buffer)
        self._kept[places] = torch.from_numpy(rows.astype(np.float32))
        self._numbers[places] = torch.from_numpy(numbers)
        self.decisions += len(rows)

    def _credit(self, credit: Credit) -> None:
        """Nothing when the episode is no longer kept."""
        rows = (self._numbers == credit.episode).nonzero().squeeze(-1)
        oldest_first = rows[torch.argsort((rows - self.decisions) % self.plan.buffer)]
        credited = oldest_first[credit.first : credit.end]
        self._kept[credited, -2] += credit.reward
        self._kept[credited, -1] += 1

    def _update(self) -> None:
        kept = self._kept[: self._count]
        judged = kept[kept[:, -1] > 0]
        if not len(judged):
            return
        for _ in range(self.plan.updates):
            rows: Any = judged[torch.from_numpy(self._rng.integers(len(judged), size=self.plan.batch))]
            seen, done, total, times = rows.split([*self._sizes, 1, 1], dim=1)
            error = ((self._expected(seen, done) - (total / times).squeeze(-1)) ** 2).mean()
            self._step(self._pleasure_optimiser, error)
            self._step(self._actor_optimiser, -self._expected(seen, self._mean(seen)).mean())

    @staticmethod
    def _step(optimiser: torch.optim.Optimizer, loss: Any) -> None:
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
