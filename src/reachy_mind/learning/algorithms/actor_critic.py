"""Networks of actors and critics in PyTorch, and their export as a `Policy`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from torch import nn

from reachy_mind.learning.policies.policy import Policy


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
