"""What is common to practising: episodes and feedback on them, the figures of a training, and cautious exploration."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from reachy_mind.learning.environments.bodies import Array, Mask
from reachy_mind.learning.environments.environment import BatchEnvironment, BatchStep
from reachy_mind.learning.environments.task import Actions

REDRAWS = 4


@dataclass(frozen=True)
class TrainingFigures:
    """Of the episodes of one training: `reward` is the mean sum of an episode, `violations` a share of decisions."""

    episodes: int
    decisions: int
    reward: float
    success: float
    violations: float


@dataclass(frozen=True)
class PractisedEpisode:
    """An episode that is over. Episodes are numbered from 0 through a whole training."""

    number: int
    progress: tuple[float, ...]
    """The task's part of the reward, for each decision."""
    success: bool


@dataclass(frozen=True)
class Credit:
    """Feedback on an episode, from -1 to 1: on the decisions from `first` to before `end`, else on all of them."""

    episode: int
    reward: float
    first: int = 0
    end: int | None = None


Judge = Callable[[Sequence[PractisedEpisode]], Iterable[Credit]]
"""Is told of the episodes that were just practised; gives what feedback came meanwhile, also on earlier ones."""


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


class PractisedRound:
    """Episodes side by side, one on each robot that counts, for a judge."""

    def __init__(self, first: int) -> None:
        self._first = first
        self._steps: list[tuple[Array, Mask]] = []
        self._success: Mask | None = None

    def add(self, step: BatchStep, counting: Mask) -> None:
        succeeded = step.success & step.over & counting
        self._success = succeeded if self._success is None else self._success | succeeded
        self._steps.append((step.parts["task"], counting))

    def episodes(self) -> list[PractisedEpisode]:
        if self._success is None:
            return []
        count = int(self._steps[0][1].sum())
        return [
            PractisedEpisode(
                self._first + row,
                tuple(float(progress[row]) for progress, counting in self._steps if counting[row]),
                bool(self._success[row]),
            )
            for row in range(count)
        ]


def cautious(environment: BatchEnvironment, draw: Callable[[], Actions]) -> Actions:
    """Actions that explore, drawn again for robots whose filter would have to change them. Some may still be unsafe."""
    actions = draw()
    for _ in range(REDRAWS):
        unsafe = environment.unsafe(actions)
        if not unsafe.any():
            break
        actions = np.where(unsafe[:, None], draw(), actions)
    return actions
