"""`TASKS`: what the robot can practise, by name.

    kind = task_kind("look_at")             # or "look_at+track_face": one policy for both
    task = kind.make(64, 1.0, "usual")      # 64 robots, the full task, scenes to train in
    actions = kind.control(observations)    # without learning

Sizes, makers and controllers are known before a task is made.
"""

from __future__ import annotations

from collections.abc import Mapping

from reachy_mind.errors import InvalidParameter
from reachy_mind.learning.environments import beat, find_object, look_at, track_face
from reachy_mind.learning.environments.kind import Control, MakeTask, Mirror, TaskKind
from reachy_mind.learning.environments.mixture import SEPARATOR, mixed
from reachy_mind.learning.environments.scenes import Scenes
from reachy_mind.learning.environments.task import BatchTask

__all__ = ["TASKS", "Scenes", "TaskKind", "task_kind"]


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
    """The task of this name, or the mixture of those that are joined by "+". Raises InvalidParameter for one that is
    not in the catalogue."""
    names = name.split(SEPARATOR)
    unknown = [each for each in names if each not in TASKS]
    if unknown or len(set(names)) < len(names):
        hint = f'one of {", ".join(TASKS)}, or different ones joined by "{SEPARATOR}"'
        raise InvalidParameter(f"no task called {(unknown or names)[0]!r}", hint=hint)
    return TASKS[name] if len(names) == 1 else mixed([TASKS[each] for each in names])
