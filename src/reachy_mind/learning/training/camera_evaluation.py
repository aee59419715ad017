"""`CameraEvaluation`: how often an actor succeeds when it sees things in the rendered picture only.

    evaluation = CameraEvaluation(world, "look_at", scenes=20, seed=3)
    figures = evaluation.figures(policy)    # by the names in CONDITIONS

Policies are not trained there: they would see the same values, noisier, at some ten decisions a second instead of some
hundred thousand.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import numpy as np

from reachy_mind.learning.environments.camera_body import CameraBody
from reachy_mind.learning.environments.scenes import Scenes
from reachy_mind.learning.environments.thing_kinds import ThingSet
from reachy_mind.learning.environments.track_face import TrackFaceTask
from reachy_mind.learning.evaluation.success import PolicyFigures, evaluate
from reachy_mind.learning.policies.policy import Actor
from reachy_mind.learning.training.world import PracticeWorld

CONDITIONS: Mapping[str, tuple[ThingSet, Scenes]] = {
    "usual": ("usual", "usual"),
    "unseen_things": ("unseen", "usual"),
    "unseen_places": ("usual", "unseen"),
}


@dataclass(frozen=True)
class CameraFigures:
    """Under one condition. `decision_ms`: real time of a decision; `camera_share`: of it, for the picture."""

    success: float
    decisions: float
    violations: float
    decision_ms: float
    camera_share: float


class CameraEvaluation:
    """One robot; each scene is an episode. Close it: a process renders."""

    def __init__(self, world: PracticeWorld, task: str, scenes: int, seed: int) -> None:
        self._world, self._task, self._scenes, self._seed = world, task, scenes, seed
        self._body = CameraBody(1, world.description, world.cache)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._body.close()

    def figures(self, actor: Actor) -> dict[str, CameraFigures]:
        """Under every condition of the task: a face is no thing. Raises NotReady where nothing can be rendered,
        InvalidParameter for a task in which the camera has nothing to see."""
        has_things = self._task != TrackFaceTask.name
        return {name: self.under(name, actor) for name in CONDITIONS if has_things or name != "unseen_things"}

    def under(self, condition: str, actor: Actor) -> CameraFigures:
        things, places = CONDITIONS[condition]
        environment = self._world.environment(self._task, 1, body=self._body, scenes=places, things=things)
        self._body.looking_s, began = 0.0, time.perf_counter()
        episodes = [evaluate(actor, environment, self._seed + scene) for scene in range(self._scenes)]
        return combined_episodes(episodes, time.perf_counter() - began, self._body.looking_s)


def combined_episodes(episodes: list[PolicyFigures], took_s: float, looking_s: float) -> CameraFigures:
    """Of single episodes that took so long together."""
    decisions = sum(each.mean_decisions for each in episodes)
    return CameraFigures(
        float(np.mean([each.success for each in episodes])),
        decisions / len(episodes),
        sum(each.violations * each.mean_decisions for each in episodes) / decisions,
        took_s / decisions * 1000,
        looking_s / took_s,
    )
