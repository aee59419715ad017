"""`SimulatedTrainer`: feedback on practice by a program, where no person is there. Figures that use it must say so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from reachy_mind.learning.algorithms.practice import Credit, PractisedEpisode

GREAT, GOOD, BAD = 1.0, 0.5, -0.5


@dataclass(frozen=True)
class TrainerModel:
    """How a simulated person gives feedback: `talks`: share of decisions that get some; `wrong`: share of it with the
    wrong sign; `late`: decisions until it is given, which the credit does not know of; `great`, `least`: progress in a
    decision that is great, or worth a word."""

    talks: float = 0.5
    wrong: float = 0.1
    late: int = 0
    great: float = 0.3
    least: float = 0.025


class SimulatedTrainer:
    """A judge that watches progress, decision by decision. It says the same of the same episode with the same seed."""

    def __init__(self, seed: int, model: TrainerModel = TrainerModel()) -> None:  # noqa: B008
        self._seed, self._model = seed, model
        self.utterances = 0

    def __call__(self, episodes: Sequence[PractisedEpisode]) -> Iterable[Credit]:
        given: list[Credit] = []
        for episode in episodes:
            rng = np.random.default_rng([self._seed, episode.number])
            for moment, progress in enumerate(episode.progress):
                if rng.random() >= self._model.talks:
                    continue
                reward = self._reward(progress, rng)
                at = min(moment + self._model.late, len(episode.progress) - 1)
                if reward:
                    given.append(Credit(episode.number, reward, at, at + 1))
        self.utterances += len(given)
        return given

    def _reward(self, progress: float, rng: np.random.Generator) -> float:
        model = self._model
        reward = 0.0
        if progress >= model.great:
            reward = GREAT
        elif abs(progress) >= model.least:
            reward = GOOD if progress > 0 else BAD
        return -reward if rng.random() < model.wrong else reward
