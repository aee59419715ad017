"""What PPO and SAC share: networks, their export as a `Policy`, and the figures of a training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from torch import nn

from reachy_mind.learning.environments.bodies import Mask
from reachy_mind.learning.environments.environment import BatchStep
from reachy_mind.learning.policies.policy import Policy


@dataclass(frozen=True)
class TrainingFigures:
    """Of the episodes of one training: `reward` is the mean sum of an episode, `violations` a share of decisions."""

    episodes: int
    decisions: int
    reward: float
    success: float
    violations: float


class Tally:
    """Counts what happens in training."""

    def __init__(self) -> None:
        self._episodes = self._decisions = self._successes = self._violations = 0
        self._reward = 0.0

    def add(self, step: BatchStep, counting: Mask) -> None:
        """One decision of the robots that count."""
        self._decisions += int(counting.sum())
        self._violations += int((step.violations & counting).sum())
        self._reward += float(step.rewards[counting].sum())
        self._episodes += int((step.over & counting).sum())
        self._successes += int((step.over & step.success & counting).sum())

    def figures(self) -> TrainingFigures:
        episodes, decisions = max(1, self._episodes), max(1, self._decisions)
        return TrainingFigures(
            self._episodes,
            self._decisions,
            self._reward / episodes,
            self._successes / episodes,
            self._violations / decisions,
        )


def network(sizes: Sequence[int], activation: type[nn.Module], last_gain: float = 1.0) -> nn.Sequential:
    """Linear layers with activations between them. The last one begins smaller or larger by `last_gain`."""
    parts: list[nn.Module] = []
    for index, (before, after) in enumerate(pairwise(sizes)):
        layer = nn.Linear(before, after)
        is_last = index == len(sizes) - 2
        nn.init.orthogonal_(layer.weight, last_gain if is_last else 2**0.5)
        nn.init.zeros_(layer.bias)
        parts += [layer] if is_last else [layer, activation()]
    return nn.Sequential(*parts)


def exported(actor: nn.Sequential, outputs: int, scale: float, meta: Mapping[str, Any]) -> Policy:
    """The policy of an actor with tanh layers: its first `outputs` outputs, after tanh."""
    linear = [part for part in actor if isinstance(part, nn.Linear)]
    layers = [(layer.weight.detach().numpy().T.copy(), layer.bias.detach().numpy().copy()) for layer in linear]
    weights, bias = layers[-1]
    layers[-1] = (weights[:, :outputs].copy(), bias[:outputs].copy())
    size = linear[0].in_features
    return Policy(layers, np.zeros(size, np.float32), np.full(size, scale, np.float32), dict(meta))
