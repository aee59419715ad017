"""`GuardedPolicy`: a policy where it has experience, the geometric controller of the task elsewhere.

guarded = GuardedPolicy(policy, control)
actions = guarded.act(observations)
guarded.told()      # "12 of 40 decisions were outside what I practised: I used geometry there."
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from reachy_mind.learning.policies.policy import Weights

Control = Callable[[Weights], Weights]
"""The controller of a task: actions in -1..1 for observations (rows), by geometry."""


class KnownObservations(Protocol):
    """What a policy was trained on; `Experience` is."""

    def outside(self, observations: Weights) -> NDArray[np.bool_]: ...


class ExperiencedPolicy(Protocol):
    """A policy that may know what it was trained on; `Policy` does."""

    @property
    def experience(self) -> KnownObservations | None: ...

    def act(self, observations: Weights) -> Weights: ...


class GuardedPolicy:
    """An `Actor`. A policy without an experience is trusted with every observation whose values are numbers.

    `fell_back`: the rows of the last call that the controller decided; `decisions` and `fallbacks`: counted since the
    beginning, or since `reset_counts`.
    """

    def __init__(self, policy: ExperiencedPolicy, control: Control) -> None:
        self.policy, self._control = policy, control
        self.fell_back: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self.decisions = self.fallbacks = 0

    def act(self, observations: Weights) -> Weights:
        """Actions for observations (rows). A controller's action that is no number is no movement."""
        finite: NDArray[np.bool_] = np.asarray(np.isfinite(observations).all(axis=1))
        known = finite if self.policy.experience is None else ~self.policy.experience.outside(observations)
        with np.errstate(over="ignore", invalid="ignore"):
            decided = self.policy.act(np.where(known[:, None], observations, 0.0).astype(np.float32))
        usable: NDArray[np.bool_] = known & np.asarray(np.isfinite(decided).all(axis=1))
        self.fell_back = ~usable
        self.decisions += len(observations)
        self.fallbacks += int(self.fell_back.sum())
        if usable.all():
            return decided
        geometric = np.nan_to_num(np.asarray(self._control(observations), np.float32), nan=0.0, posinf=1.0, neginf=-1.0)
        return np.where(usable[:, None], decided, np.clip(geometric, -1.0, 1.0)).astype(np.float32)

    def reset_counts(self) -> None:
        self.decisions = self.fallbacks = 0

    def told(self) -> str:
        """What a person should know about the fallbacks; nothing where there were none."""
        if not self.fallbacks:
            return ""
        if self.fallbacks == self.decisions:
            return "That was outside what I practised: I used geometry instead."
        share = f"{self.fallbacks} of {self.decisions} decisions were"
        return f"{share} outside what I practised: I used geometry there."
