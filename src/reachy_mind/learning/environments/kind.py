"""`TaskKind`: what is known of a task before it is made: its sizes, its makers and its geometric controller."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from reachy_mind.learning.environments.scenes import Scenes
from reachy_mind.learning.environments.task import Actions, BatchTask, Observations

MakeTask = Callable[[int, float, Scenes], BatchTask]
Control = Callable[[Observations], Actions]
Mirror = Callable[[Observations, Actions], tuple[Observations, Actions]]


@dataclass(frozen=True)
class TaskKind:
    """`make` takes the number of robots, the difficulty (0 easiest, 1 the full task) and the kind of scenes.

    `mirror` adds the same examples with left and right exchanged; None where that changes the task. `control` is the
    geometric controller: it knows no more than a policy does, and is what a policy falls back to.
    """

    name: str
    purpose: str
    """What the robot does, for people: "look at a thing"."""
    observation_size: int
    action_size: int
    horizon: int
    make: MakeTask
    mirror: Mirror | None
    control: Control
