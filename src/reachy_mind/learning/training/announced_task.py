"""`AnnouncedTask`: tells a person what an episode is about when it begins: who does not know the goal can't judge."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from reachy_mind.learning.environments.bodies import Array, Mask
from reachy_mind.learning.environments.catalogue import task_kind
from reachy_mind.learning.environments.task import Actions, BatchTask


class AnnouncedTask:
    """The task of one robot; everything but the announcement is that task's."""

    def __init__(self, task: BatchTask, tell: Callable[[str], None]) -> None:
        self._task, self._tell = task, tell
        self._is_new = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._task, name)

    def reset(self, rng: np.random.Generator, rows: Mask, poses: Array) -> None:
        self._task.reset(rng, rows, poses)
        self._is_new = True

    def target(self, actions: Actions, commanded: Array, poses: Array) -> Array:
        if self._is_new:  # an environment may draw a scene that it never uses
            self._is_new = False
            self._tell(scene_words(self._task))
        return self._task.target(actions, commanded, poses)


def scene_words(task: BatchTask) -> str:
    """Where the thing of the first scene is, as seen from the neutral head."""
    purpose = task_kind(task.name).purpose
    places = getattr(task, "places", None)
    if places is None:
        return f"It is to {purpose}."
    ahead, left, up = (float(value) for value in places[0])
    far = math.sqrt(ahead**2 + left**2 + up**2)
    side, height = math.degrees(math.atan2(left, ahead)), math.degrees(math.atan2(up, math.hypot(ahead, left)))
    sideways = f"{abs(side):.0f} degrees to the {'left' if side > 0 else 'right'}"
    upright = f"{abs(height):.0f} degrees {'up' if height > 0 else 'down'}"
    return f"It is to {purpose}: {sideways}, {upright}, {far:.1f} m away."
