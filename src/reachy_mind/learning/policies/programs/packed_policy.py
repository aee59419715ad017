"""`PackedPolicy`: the file of a policy as text in the file of a tool. It acts, and knows what it was trained on."""

from __future__ import annotations

import base64
import io
import textwrap

import numpy as np
from numpy.typing import NDArray

from reachy_mind.learning.policies.experience import unknown
from reachy_mind.learning.policies.policy import Policy, Weights, forward

LINE = 100


def packed(policy: Policy) -> str:
    """Text for `PackedPolicy`, in lines."""
    return "\n".join(textwrap.wrap(base64.b64encode(policy.to_bytes()).decode(), LINE))


class PackedPolicy:
    """Acts as the policy, for `GuardedPolicy`."""

    def __init__(self, text: str) -> None:
        with np.load(io.BytesIO(base64.b64decode(text)), allow_pickle=False) as file:
            self._arrays = {name: file[name] for name in file if name != "meta"}
        count = sum(name.startswith("weight_") for name in self._arrays)
        self._layers = [(self._arrays[f"weight_{at}"], self._arrays[f"bias_{at}"]) for at in range(count)]
        self.experience = self if "experience_mean" in self._arrays else None

    def act(self, observations: Weights) -> Weights:
        return forward(observations, self._arrays["mean"], self._arrays["scale"], self._layers)

    def outside(self, observations: Weights) -> NDArray[np.bool_]:
        """Which of these observations are unlike those of the training."""
        parts = (self._arrays[f"experience_{name}"] for name in ("low", "high", "mean", "precision", "limit"))
        return unknown(observations, *parts)
