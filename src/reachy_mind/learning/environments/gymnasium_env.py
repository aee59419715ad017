"""Our environments for algorithms that know Gymnasium: `ReachyEnv` is one robot, `ReachyVectorEnv` a batch of them.

    env = make_env("look_at", "kinematic", seed=1)          # or make_vector_env("look_at", 64, "physics")
    env = make_env("find_object", "camera", things="unseen")    # sees what is in the picture; close it in the end
    observation, info = env.reset()
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample())

`info` tells success, violation (the action was unsafe and was changed) and the parts of the reward (`reward_task`).
Nothing is registered with Gymnasium. In the vector environment an episode that ends starts anew in the same step, with
`final_obs` of the old one in `info`. Needs the extra `learning`; nothing else here imports Gymnasium.
"""

from __future__ import annotations

from typing import Any, Literal

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from reachy_mind.body.batch_kinematics import BatchKinematics
from reachy_mind.config.configuration import Configuration, load
from reachy_mind.learning.environments.bodies import Array, BatchBody, KinematicBody, Mask
from reachy_mind.learning.environments.camera_body import CameraBody
from reachy_mind.learning.environments.catalogue import task_kind
from reachy_mind.learning.environments.environment import NOMINAL, BatchEnvironment, BatchStep, Randomisation
from reachy_mind.learning.environments.physics import PhysicsBody
from reachy_mind.learning.environments.picture_sight import look_through
from reachy_mind.learning.environments.safety import SafetyFilter
from reachy_mind.learning.environments.scenes import Scenes
from reachy_mind.learning.environments.task import Actions, BatchTask, Observations
from reachy_mind.learning.environments.thing_kinds import ThingSet
from reachy_mind.models.robot_description import compiled_folder, description

BodyName = Literal["kinematic", "physics", "camera"]
FARTHEST = 10.0
"""Observations are about -1..1; beyond this they are cut, so that the space has bounds."""


class ReachyEnv(gymnasium.Env[Observations, Actions]):
    """Around a batch of one. Raises ValueError for a larger one."""

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 -- as Gymnasium declares it

    def __init__(self, environment: BatchEnvironment) -> None:
        if environment.count != 1:
            raise ValueError(f"one robot, not {environment.count}: use ReachyVectorEnv")
        self._environment = environment
        self.observation_space, self.action_space = _spaces(environment)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """With the same seed the same episodes follow."""
        super().reset(seed=seed, options=options)
        if seed is not None:
            self._environment.rng = self.np_random
        return _bounded(self._environment.reset())[0], {}

    def step(self, action: Actions) -> tuple[Observations, float, bool, bool, dict[str, Any]]:
        step = self._environment.step(np.asarray(action, np.float32)[None])
        info = {name: values[0].item() for name, values in _told(step).items()}
        observation = _bounded(step.final_observations)[0]
        return observation, float(step.rewards[0]), bool(step.terminated[0]), bool(step.truncated[0]), info

    def close(self) -> None:
        self._environment.close()


class ReachyVectorEnv(VectorEnv[Observations, Actions, Any]):
    """Around a batch of any size. One seed is for all of its robots."""

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012

    def __init__(self, environment: BatchEnvironment) -> None:
        self._environment = environment
        self.num_envs = environment.count
        self.single_observation_space, self.single_action_space = _spaces(environment)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        super().reset(seed=seed, options=options)
        if seed is not None:
            self._environment.rng = self.np_random
        return _bounded(self._environment.reset()), {}

    def step(self, actions: Actions) -> tuple[Observations, Array, Mask, Mask, dict[str, Any]]:
        step = self._environment.step(np.asarray(actions, np.float32))
        info: dict[str, Any] = dict(_told(step))
        info |= {f"_{name}": np.ones(self.num_envs, np.bool_) for name in info}
        if step.over.any():
            info |= {"final_obs": _bounded(step.final_observations), "_final_obs": step.over}
        return _bounded(step.observations), step.rewards, step.terminated, step.truncated, info

    def close_extras(self, **_: Any) -> None:
        self._environment.close()


def make_env(
    task: str,
    body: BodyName = "kinematic",
    *,
    seed: int = 0,
    difficulty: float = 1.0,
    scenes: Scenes = "usual",
    things: ThingSet = "usual",
    randomisation: Randomisation = NOMINAL,
    configuration: Configuration | None = None,
) -> ReachyEnv:
    """One robot with a task of the catalogue. `things`: what it looks at with body `camera`. `configuration`: knows
    where the robot's description is; the settings of this user by default. Raises InvalidParameter for a task that
    there is not, and for one in which a camera has nothing to see."""
    made = task_kind(task).make(1, difficulty, scenes)
    robots, safety = _robots(made, 1, body, things, configuration or load())
    return ReachyEnv(BatchEnvironment(made, robots, safety, seed=seed, randomisation=randomisation))


def make_vector_env(
    task: str,
    count: int,
    body: BodyName = "kinematic",
    *,
    seed: int = 0,
    difficulty: float = 1.0,
    scenes: Scenes = "usual",
    things: ThingSet = "usual",
    randomisation: Randomisation = NOMINAL,
    configuration: Configuration | None = None,
) -> ReachyVectorEnv:
    """As `make_env`, for so many robots; of those with a camera there can be one."""
    made = task_kind(task).make(count, difficulty, scenes)
    robots, safety = _robots(made, count, body, things, configuration or load())
    return ReachyVectorEnv(BatchEnvironment(made, robots, safety, seed=seed, randomisation=randomisation))


def _robots(
    task: BatchTask, count: int, body: BodyName, things: ThingSet, configuration: Configuration
) -> tuple[BatchBody, SafetyFilter]:
    """For this task, in which a robot with a camera sees from now on what is in the picture."""
    folder, cache = description(configuration), compiled_folder(configuration)
    safety = SafetyFilter(BatchKinematics(folder / "kinematics_data.json"))
    match body:
        case "kinematic":
            return KinematicBody(count), safety
        case "physics":
            return PhysicsBody(count, folder, cache), safety
        case "camera":
            robot = CameraBody(count, folder, cache)
            look_through(robot, task, things)
            return robot, safety


def _spaces(environment: BatchEnvironment) -> tuple[Any, Any]:
    task = environment.task
    seen = gymnasium.spaces.Box(-FARTHEST, FARTHEST, (task.observation_size,), np.float32)
    return seen, gymnasium.spaces.Box(-1.0, 1.0, (task.action_size,), np.float32)


def _bounded(observations: Observations) -> Observations:
    bounded: Observations = np.clip(observations, -FARTHEST, FARTHEST)
    return bounded


def _told(step: BatchStep) -> dict[str, Any]:
    parts = {f"reward_{name}": values for name, values in step.parts.items()}
    return {"success": step.success, "violation": step.violations, **parts}
