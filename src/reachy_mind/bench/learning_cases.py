"""The cases of tasks 11 to 15, from tasks_learning.yaml, and what is measured of a turn: the pose of the head and how
it moved, from the robot's own reports."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict

from reachy_mind.bench.task_cases import Evidence, Sample, Scene, antenna_swings, reversals
from reachy_mind.learning.environments.environment import NOMINAL, Randomisation
from reachy_mind.learning.environments.scenes import Scenes
from reachy_mind.learning.training.plan import Algorithm, BodyKind

FILE = Path(__file__).with_name("tasks_learning.yaml")
SWUNG = 3.0
"""Degrees of a nod or a shake of the head, there and back."""
MOVED = math.radians(1.0)

Place = tuple[float, float]
Quantity = Literal["yaw", "pitch", "roll", "body", "moving_s", "nods", "shakes", "swings", "nod_size"]
Reference = Literal["untrained", "replayed"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class TaughtLesson(_Strict):
    """A person asks for something, corrects it in words, and asks again the next morning in other words.

    `before`: what is asked first to compare with, where that is another thing than what is corrected.
    """

    person: str
    before: str = ""
    ask: str
    correct: tuple[str, ...]
    later: str
    measure: Quantity
    change: tuple[float, float]
    """Of the measure, from `before` (else `ask`) to `later`: the least and the most."""
    scene: Scene = Scene()


class Shown(_Strict):
    """A demonstration: where the thing is, and the calls by which a person shows how to look at it."""

    thing: str
    at: Place
    turns: tuple[dict[str, float], ...] = ()
    """Poses of the head, as with the sliders of the page; none: by the tool that looks at things."""


class SkillRequest(_Strict):
    """Asks for what was shown. The camera must point at the thing in the end."""

    say: str
    thing: str
    scene: Scene = Scene()
    moved: Place | None = None
    """Where the thing is put while the head is turning."""


class Shift(_Strict):
    """Robots or places that differ from those of the training, many episodes of each."""

    name: str
    task: str
    trained_in: Scenes = "usual"
    scenes: Scenes = "usual"
    body: BodyKind = "kinematic"
    robots: Randomisation = NOMINAL


class Exploration(_Strict):
    """A training from nothing."""

    task: str
    algorithm: Algorithm
    episodes: int
    body: BodyKind = "kinematic"
    randomised: bool = False
    wild: bool = False
    """Actions are drawn at random, some of them no numbers, in place of the learner's own."""


class LiveTraining(_Strict):
    """The robot practises in front of a person, who stops it while it moves."""

    task: str
    algorithm: Algorithm
    stop: str
    """In words; empty: by the button."""


class LearningTask(_Strict):
    task: int
    name: str
    reference: Reference | None = None
    """With what the requests are compared."""
    shown: tuple[Shown, ...] = ()
    lessons: tuple[TaughtLesson, ...] = ()
    requests: tuple[SkillRequest, ...] = ()
    shifts: tuple[Shift, ...] = ()
    explorations: tuple[Exploration, ...] = ()
    live: tuple[LiveTraining, ...] = ()

    @property
    def cases(self) -> int:
        return sum(map(len, (self.lessons, self.requests, self.shifts, self.explorations, self.live)))


@cache
def learning_tasks() -> tuple[LearningTask, ...]:
    return tuple(map(LearningTask.model_validate, yaml.safe_load(FILE.read_text(encoding="utf-8"))))


def measured(quantity: Quantity, seen: Evidence) -> float:
    """Of one turn: angles at its end in degrees (yaw to the left, pitch down), seconds, or how many times."""
    return _QUANTITIES[quantity](seen)


def lesson_failures(lesson: TaughtLesson, before: float, later: float) -> list[str]:
    """Why an execution is not what the person wanted."""
    least, most = lesson.change
    changed = later - before
    if least <= changed <= most:
        return []
    return [f"{lesson.measure} changed by {changed:.1f}, from {before:.1f}: wanted {least:g} to {most:g}"]


def _moving_s(seen: Evidence) -> float:
    """From the first movement to the last one."""
    moved = [
        after.at
        for before, after in zip(seen.trace, seen.trace[4:], strict=False)
        if before.pose.distance(after.pose) > MOVED
    ]
    return moved[-1] - moved[0] if moved else 0.0


def _degrees(seen: Evidence, axis: str) -> list[float]:
    return [math.degrees(getattr(sample.pose, axis)) for sample in seen.trace]


def _spread(values: Sequence[float]) -> float:
    return max(values, default=0.0) - min(values, default=0.0)


def _last(seen: Evidence) -> Sample:
    return seen.trace[-1]


_QUANTITIES: Mapping[Quantity, Callable[[Evidence], float]] = {
    "yaw": lambda seen: _last(seen).yaw,
    "pitch": lambda seen: _last(seen).pitch,
    "roll": lambda seen: math.degrees(_last(seen).pose.roll),
    "body": lambda seen: math.degrees(_last(seen).pose.body_yaw),
    "moving_s": _moving_s,
    "nods": lambda seen: float(reversals(_degrees(seen, "pitch"), SWUNG)),
    "shakes": lambda seen: float(reversals(_degrees(seen, "yaw"), SWUNG)),
    "swings": lambda seen: float(antenna_swings(seen)),
    "nod_size": lambda seen: _spread(_degrees(seen, "pitch")),
}
