"""`PracticeWorld`: makes environments by the names of a task and a body, from the robot's description.

It holds two paths only, so that it can be sent to other processes and machines.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from reachy_mind.body.batch_kinematics import BatchKinematics
from reachy_mind.learning.environments.bodies import BatchBody, KinematicBody
from reachy_mind.learning.environments.camera_body import CameraBody
from reachy_mind.learning.environments.catalogue import Scenes, task_kind
from reachy_mind.learning.environments.environment import NOMINAL, BatchEnvironment, Randomisation, RewardWeights
from reachy_mind.learning.environments.physics import PhysicsBody
from reachy_mind.learning.environments.picture_sight import look_through
from reachy_mind.learning.environments.safety import SafetyFilter
from reachy_mind.learning.environments.task import BatchTask
from reachy_mind.learning.environments.thing_kinds import ThingSet
from reachy_mind.learning.environments.warp_physics import WarpBody
from reachy_mind.learning.training.plan import BodyKind

AnyBody = BodyKind | Literal["camera"]
"""One robot with a camera is there to evaluate: see `learn eval --body camera`."""


@dataclass(frozen=True)
class PracticeWorld:
    """`description`: of the robot; `cache`: of compiled scenes, which only physics needs."""

    description: Path
    cache: Path

    @cached_property
    def reach(self) -> BatchKinematics:
        return BatchKinematics(self.description / "kinematics_data.json")

    def body(self, kind: AnyBody, count: int) -> BatchBody:
        """Raises MissingExtra, NotReady for `gpu` where there is none, InvalidParameter for more than one camera."""
        match kind:
            case "camera":
                return CameraBody(count, self.description, self.cache)
            case "physics":
                return PhysicsBody(count, self.description, self.cache)
            case "gpu":
                return WarpBody(count, self.description, self.cache)
            case _:
                return KinematicBody(count)

    def task(self, name: str, count: int, difficulty: float = 1.0, scenes: Scenes = "usual") -> BatchTask:
        """Raises InvalidParameter for a task that there is not."""
        return task_kind(name).make(count, difficulty, scenes)

    def environment(
        self,
        task: str,
        count: int,
        *,
        body: AnyBody | BatchBody = "kinematic",
        seed: int = 0,
        randomisation: Randomisation = NOMINAL,
        weights: RewardWeights = RewardWeights(),  # noqa: B008
        difficulty: float = 1.0,
        scenes: Scenes = "usual",
        things: ThingSet = "usual",
    ) -> BatchEnvironment:
        """The task for so many robots; `things`: what a robot with a camera looks at. Raises InvalidParameter for a
        task that there is not, and for one in which a camera has nothing to see."""
        made = self.task(task, count, difficulty, scenes)
        robots = self.body(body, count) if isinstance(body, str) else body
        if isinstance(robots, CameraBody):
            look_through(robots, made, things)
        safety = SafetyFilter(self.reach)
        return BatchEnvironment(made, robots, safety, seed=seed, randomisation=randomisation, weights=weights)
