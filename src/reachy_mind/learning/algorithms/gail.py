"""Generative adversarial imitation learning (Ho and Ermon 2016), in one file, on top of PPO.

    gail = GAIL(observations, actions, seed=1)
    figures = gail.learn_from(environment, episodes=300)

A discriminator learns to tell the decisions that were demonstrated from those of the policy. The policy is rewarded, by
PPO, for decisions that it can't tell apart; the task's own reward is not used. The reward is the logarithm of how
likely a decision is a demonstrated one: never positive, so that an episode which ends early because the task is done
is no loss.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import nn

from reachy_mind.learning.algorithms.actor_critic import network
from reachy_mind.learning.algorithms.ppo import PPO, PPOPlan, Rollout
from reachy_mind.learning.environments.task import Actions, Observations

PRACTICE = PPOPlan(gamma=0.7)


@dataclass(frozen=True)
class GAILPlan:
    """`steps`: of the discriminator before each update of the policy; `noise`: added to actions, so that it can't learn
    the demonstrations by heart; `worst`: the least reward of a decision."""

    policy: PPOPlan = PRACTICE
    hidden: tuple[int, ...] = (64, 64)
    rate: float = 1e-3
    decay: float = 1e-2
    steps: int = 60
    batch: int = 128
    noise: float = 0.1
    worst: float = -4.0


class GAIL(PPO):
    """Learns to do what was demonstrated. The same seed gives the same policy."""

    algorithm = "gail"

    def __init__(
        self,
        observations: Observations,
        actions: Actions,
        plan: GAILPlan = GAILPlan(),  # noqa: B008
        seed: int = 0,
    ) -> None:
        super().__init__(observations.shape[1], actions.shape[1], plan.policy, seed)
        self._imitation = plan
        self._shown = torch.from_numpy(np.concatenate([observations, actions], axis=1).astype(np.float32))
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed + 1)
            self._discriminator = network((self._shown.shape[1], *plan.hidden, 1), nn.Tanh)
        parameters = self._discriminator.parameters()
        self._discriminating = torch.optim.AdamW(parameters, plan.rate, weight_decay=plan.decay)

    def show(self, observations: Observations, actions: Actions) -> None:
        """More demonstrations."""
        rows = np.concatenate([observations, actions], axis=1).astype(np.float32)
        self._shown = torch.cat([self._shown, torch.from_numpy(rows)])

    def state(self) -> dict[str, Any]:
        parts = {
            "shown": self._shown,
            "discriminator": self._discriminator.state_dict(),
            "discriminating": self._discriminating.state_dict(),
        }
        return super().state() | copy.deepcopy(parts)

    def restore(self, state: Mapping[str, Any]) -> None:
        given = copy.deepcopy(dict(state))
        self._discriminator.load_state_dict(given.pop("discriminator"))
        self._discriminating.load_state_dict(given.pop("discriminating"))
        self._shown = given["shown"]
        super().restore(given)

    def _update(self) -> None:
        self._discriminate()
        with torch.no_grad():
            self._kept = [replace(rollout, rewards=self._rewards(rollout)) for rollout in self._kept]
        super()._update()

    def _discriminate(self) -> None:
        plan = self._imitation
        newest = self._kept[-max(1, self.plan.update_every) :]
        practised = torch.cat([_decisions(rollout)[rollout.counts] for rollout in newest])
        for _ in range(plan.steps):
            real, made = self._drawn(self._shown), self._drawn(practised)
            guesses = self._logits(torch.cat([real, made])).squeeze(-1)
            labels = torch.cat([torch.ones(len(real)), torch.zeros(len(made))])
            loss: Any = nn.functional.binary_cross_entropy_with_logits(guesses, labels)
            self._discriminating.zero_grad()
            loss.backward()
            self._discriminating.step()

    def _drawn(self, decisions: torch.Tensor) -> torch.Tensor:
        """Some of them, with noise."""
        rows = self._rng.integers(len(decisions), size=self._imitation.batch)
        drawn: torch.Tensor = decisions[torch.from_numpy(rows)]
        noise = self._rng.normal(0.0, self._imitation.noise, tuple(drawn.shape)).astype(np.float32)
        return drawn + torch.from_numpy(noise)

    def _logits(self, decisions: torch.Tensor) -> torch.Tensor:
        guesses: torch.Tensor = self._discriminator(decisions / self.plan.observation_scale)
        return guesses

    def _rewards(self, rollout: Rollout) -> torch.Tensor:
        likely = nn.functional.logsigmoid(self._logits(_decisions(rollout)).squeeze(-1))
        rewards: torch.Tensor = likely.clamp(min=self._imitation.worst)
        return rewards


def _decisions(rollout: Rollout) -> torch.Tensor:
    return torch.cat([rollout.observations, rollout.actions.clamp(-1.0, 1.0)], dim=-1)
