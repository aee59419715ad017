"""Learners that aim: from corrections in words (ours), from the reward of the words alone, and not at all.

Each is given where the thing seems to be and what was said after each look, and returns how far beside its own guess to
look. None is told the angle by which it missed.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Literal, Protocol

import numpy as np

from reachy_mind.feedback.aim import AimModel, look_features, moved
from reachy_mind.feedback.aim_words import read_aim_corrections
from reachy_mind.feedback.reader import FeedbackReader
from reachy_mind.feedback.teaching import CONFIRMS
from reachy_mind.learning.look_at.scene import Perceived
from reachy_mind.tools.builtin.aiming import AimOffset

LearnerName = Literal["corrections", "reward", "nothing"]
EXPLORED_DEGREES = 6.0
"""Without directions a learner has to try."""
TEMPERATURE = 0.3


class AimLearner(Protocol):
    """Aims beside a guess."""

    def offset(self, situation: Perceived) -> AimOffset:
        """The best offset known."""
        ...

    def first_try(self, situation: Perceived) -> AimOffset:
        """An offset to try and learn from."""
        ...

    def told(self, situation: Perceived, applied: AimOffset, words: str) -> AimOffset:
        """Learn from what was said about a look, and return the offset of the next try."""
        ...


class CorrectionLearner:
    """Reads corrections and praise from the words, obeys them in the next try, and learns from both."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng, self._model = rng, AimModel()
        self._looks = 0

    def offset(self, situation: Perceived) -> AimOffset:
        return self._model.offset(situation)

    def first_try(self, situation: Perceived) -> AimOffset:
        self._looks += 1
        return self._model.explored(situation, [float(chance) for chance in self._rng.normal(size=2)])

    def told(self, situation: Perceived, applied: AimOffset, words: str) -> AimOffset:
        corrections = [each for each in read_aim_corrections(words) if each.axis in ("yaw", "pitch")]
        self._model.correct(situation, applied, corrections, self._looks)
        if not corrections and reward_of(words) >= CONFIRMS:
            self._model.confirm(situation, applied, occasion=self._looks)
        for each in corrections:
            applied = moved(applied, each)
        return applied


class RewardLearner:
    """Learns from the reward alone: regression over what it tried, weighted by how it was received."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._rows: list[tuple[float, ...]] = []
        self._tried: list[AimOffset] = []
        self._rewards: list[float] = []
        self._coefficients = np.zeros((7, 2))

    def offset(self, situation: Perceived) -> AimOffset:
        yaw, pitch = np.asarray(look_features(situation)) @ self._coefficients
        return AimOffset(math.degrees(yaw), math.degrees(pitch))

    def first_try(self, situation: Perceived) -> AimOffset:
        known, chance = self.offset(situation), self._rng.normal(size=2) * EXPLORED_DEGREES
        return AimOffset(known.left + float(chance[0]), known.up + float(chance[1]))

    def told(self, situation: Perceived, applied: AimOffset, words: str) -> AimOffset:
        self._rows.append(look_features(situation))
        self._tried.append(applied)
        self._rewards.append(reward_of(words))
        weights = np.exp((np.array(self._rewards) - max(self._rewards)) / TEMPERATURE)
        x, y = np.array(self._rows), np.radians(np.array(self._tried))
        self._coefficients = np.linalg.solve(np.eye(7) * 0.05 + (x.T * weights) @ x, (x.T * weights) @ y)
        return self.first_try(situation)


class NoLearner:
    """Keeps to its own guess."""

    def __init__(self, rng: np.random.Generator) -> None:
        pass

    def offset(self, situation: Perceived) -> AimOffset:  # noqa: ARG002
        return AimOffset()

    first_try = offset

    def told(self, situation: Perceived, applied: AimOffset, words: str) -> AimOffset:  # noqa: ARG002
        return applied


@lru_cache(maxsize=4096)
def reward_of(words: str) -> float:
    """The reward that the words give, from -1 to 1."""
    return _reader().read(words).reward


@lru_cache(maxsize=1)
def _reader() -> FeedbackReader:
    return FeedbackReader.load()
