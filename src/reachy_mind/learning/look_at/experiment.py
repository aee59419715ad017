"""One experiment: a robot that aims badly, a person who says so, and how many words it takes until it aims well."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from reachy_mind.learning.look_at.learners import AimLearner
from reachy_mind.learning.look_at.person import PHRASES, CorrectingPerson, Manners, load_phrases
from reachy_mind.learning.look_at.scene import LookAtScene, LookAtWorld, Miss, Perceived, random_scenes
from reachy_mind.tools.builtin.aiming import AimOffset

GAINS, BIASES = (0.7, 1.3), (-15.0, 15.0)
TRIES = 3
GOAL = 0.95


@dataclass(frozen=True)
class Miscalibration:
    """How the robot's own guess is wrong on each axis: factor and degrees. The learner is not told."""

    gains: tuple[float, float]
    biases: tuple[float, float]

    @classmethod
    def random(cls, rng: np.random.Generator) -> Miscalibration:
        gains, biases = rng.uniform(*GAINS, size=2), rng.uniform(*BIASES, size=2)
        return cls((float(gains[0]), float(gains[1])), (float(biases[0]), float(biases[1])))

    def guess(self, situation: Perceived) -> AimOffset:
        angles = situation["azimuth"] or 0.0, situation["elevation"] or 0.0
        yaw, pitch = (gain * angle + bias for gain, angle, bias in zip(self.gains, angles, self.biases, strict=True))
        return AimOffset(yaw, pitch)


@dataclass(frozen=True)
class LookAtPlan:
    """How long to learn and how to evaluate."""

    utterances: int = 60
    scenes: int = 100
    """Of an evaluation, each time fresh ones."""
    every: int = 1
    """Episodes between evaluations."""
    manners: Manners = field(default_factory=Manners)
    phrases: Path = PHRASES


@dataclass(frozen=True)
class LookAtOutcome:
    """`reached`: utterances after which it hit the thing often enough, on two sets of fresh scenes; None: never."""

    reached: int | None
    success: float
    """Share of fresh scenes that it hits at the first look, at the end."""
    utterances: int
    language: str


class Experiment:
    """A robot with a hidden miscalibration in a world, and a person. Reproducible by its seed."""

    def __init__(
        self, world: LookAtWorld, learner: Callable[[np.random.Generator], AimLearner], seed: int, plan: LookAtPlan
    ) -> None:
        chances = [np.random.default_rng((seed, part)) for part in range(5)]
        self._world, self._plan = world, plan
        self._miscalibration = Miscalibration.random(chances[0])
        self._person = CorrectingPerson(chances[1], load_phrases(plan.phrases), plan.manners)
        self._learner = learner(chances[2])
        self._training, self._evaluation = chances[3], chances[4]
        self._utterances = 0

    def run(self) -> LookAtOutcome:
        """Learn until it hits often enough, or the utterances are used up."""
        episodes, reached, success = 0, None, None
        while reached is None and self._utterances < self._plan.utterances:
            self._episode(random_scenes(self._training, 1, self._world)[0])
            episodes += 1
            if episodes % self._plan.every == 0 and self._passes() is not None:
                success = self._passes()  # on other scenes: the first may have been luck
                reached = None if success is None else self._utterances
        final = self.success() if success is None else success
        return LookAtOutcome(reached, final, self._utterances, self._person.language)

    def _episode(self, scene: LookAtScene) -> None:
        situation = self._world.situation(scene)
        offset = self._learner.first_try(situation)
        for _ in range(TRIES):
            miss = self._look(scene, situation, offset)
            self._utterances += 1
            offset = self._learner.told(situation, offset, self._person.say(miss))
            if miss.hit or self._utterances >= self._plan.utterances:
                break

    def _look(self, scene: LookAtScene, situation: Perceived, offset: AimOffset) -> Miss:
        guess = self._miscalibration.guess(situation)
        return self._world.look(scene, guess.left + offset.left, guess.up + offset.up)

    def _passes(self) -> float | None:
        """The share of fresh scenes that are hit, if it is high enough."""
        allowed = int(self._plan.scenes * (1 - GOAL) + 1e-9)
        share = self._share(allowed)
        return share if share >= 1 - allowed / self._plan.scenes - 1e-9 else None

    def success(self) -> float:
        """Share of fresh scenes that are hit at the first look."""
        return self._share(self._plan.scenes)

    def _share(self, allowed: int) -> float:
        """It stops early after more than `allowed` misses."""
        hits = 0
        for count, scene in enumerate(random_scenes(self._evaluation, self._plan.scenes, self._world), start=1):
            situation = self._world.situation(scene)
            hits += self._look(scene, situation, self._learner.offset(situation)).hit
            if count - hits > allowed:
                return hits / count
        return hits / self._plan.scenes
