"""`TASKS`: what the robot can practise, by name.

kind = task_kind("look_at")
task = kind.make(64, 1.0, "usual")      # 64 robots, the full task, scenes to train in
actions = kind.control(observations)    # without learning
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from reachy_mind.errors import InvalidParameter
from reachy_mind.learning.environments import beat, find_object, look_at, track_face
from reachy_mind.learning.environments.scenes import Scenes
from reachy_mind.learning.environments.task import Actions, BatchTask, Observations

__all__ = ["TASKS", "Scenes", "TaskKind", "task_kind"]

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


def _kind(purpose: str, task: type[BatchTask], make: MakeTask, mirror: Mirror | None, control: Control) -> TaskKind:
    return TaskKind(task.name, purpose, task.observation_size, task.action_size, task.horizon, make, mirror, control)


TASKS: Mapping[str, TaskKind] = {
    kind.name: kind
    for kind in (
        _kind("look at a thing", look_at.LookAtTask, look_at.make, look_at.mirrored, look_at.control),
        _kind("follow a face", track_face.TrackFaceTask, track_face.make, track_face.mirrored, track_face.control),
        _kind("find a thing", find_object.FindObjectTask, find_object.make, find_object.mirrored, find_object.control),
        _kind("nod on the beat", beat.BeatTask, beat.make, None, beat.control),
    )
}


def task_kind(name: str) -> TaskKind:
    """Raises InvalidParameter for a task that is not in the catalogue."""
    try:
        return TASKS[name]
    except KeyError:
        raise InvalidParameter(f"no task called {name!r}", hint=f"one of {', '.join(TASKS)}") from None
