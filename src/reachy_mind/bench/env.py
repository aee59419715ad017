"""Decisions a second in the environments in which the robot practises looking at things, by random actions.

Ours: without physics, 4096 robots at once, in one process and in one on each core; and with physics on all cores.
Reference: one robot in plain Python (target, reach, miss), and plain MuJoCo on all cores, which steps the simulator's
scene for the same simulated time at 2 ms without a task or a filter.
"""

from __future__ import annotations

import asyncio
import math
import multiprocessing
import random
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np

from reachy_mind.bench import Figures
from reachy_mind.body.batch_kinematics import BatchKinematics
from reachy_mind.body.kinematics import Kinematics
from reachy_mind.body.pose import AWAKE
from reachy_mind.config.configuration import Configuration
from reachy_mind.learning.environments.bodies import DECISION_S, BatchBody, KinematicBody
from reachy_mind.learning.environments.environment import BatchEnvironment
from reachy_mind.learning.environments.gaze import STEP
from reachy_mind.learning.environments.look_at import LookAtTask
from reachy_mind.learning.environments.physics import STEP_S, PhysicsBody, cores
from reachy_mind.learning.environments.safety import SafetyFilter
from reachy_mind.learning.look_at.scene import AZIMUTHS, DISTANCES_M, ELEVATIONS, LookAtScene, miss
from reachy_mind.models.robot_description import compiled_folder, description

SECONDS = 30.0
BATCH, PHYSICS_BATCH = 4096, 256
GEOMETRY = "kinematics_data.json"
RESTART_S = 60.0
"""Of simulated time: heads that jump to targets without limits become unstable after some minutes."""


async def measure(configuration: Configuration, seconds: float) -> Figures:
    return await asyncio.to_thread(_measured, description(configuration), compiled_folder(configuration), seconds / 6)


def _measured(folder: Path, cache: Path, each_s: float) -> Figures:
    exact = PhysicsBody(PHYSICS_BATCH, folder, cache, step_s=0.002)
    ours = {
        "kinematic_one_process_per_s": round(_kinematic(folder, 0, each_s)),
        "kinematic_per_s": round(_on_all_cores(folder, each_s)),
        "physics_per_s": round(_rate(folder, PhysicsBody(PHYSICS_BATCH, folder, cache), 0, each_s)),
    }
    reference = {
        "kinematic_per_s": round(_naive(folder, each_s)),
        "physics_per_s": round(_plain_mujoco(folder, cache, each_s)),
        "physics_robot_alone_per_s": round(_rate(folder, exact, 0, each_s)),
    }
    ratio = {name: round(ours[name] / reference[name], 2) for name in ("kinematic_per_s", "physics_per_s")}
    notes = {
        "kinematic": "the reference does less: no speed limits, no margin, no observation and no reward",
        "physics": f"ours steps {STEP_S * 1000:g} ms and the robot alone; robot_alone is the same in steps of 2 ms",
    }
    return Figures(ours | {"batch": BATCH, "physics_batch": PHYSICS_BATCH}, reference, ratio, notes)


def _rate(folder: Path, body: BatchBody, seed: int, seconds: float) -> float:
    """Decisions a second of these robots, with random actions that are drawn beforehand."""
    safety = SafetyFilter(BatchKinematics(folder / GEOMETRY))
    environment = BatchEnvironment(LookAtTask(body.count), body, safety, seed=seed)
    rng = np.random.default_rng(seed)
    actions = rng.uniform(-1.0, 1.0, (16, body.count, environment.task.action_size)).astype(np.float32)
    environment.reset()
    environment.step(actions[0])
    steps, began = 0, time.perf_counter()
    while (took := time.perf_counter() - began) < seconds or not steps:
        environment.step(actions[steps % len(actions)])
        steps += 1
    environment.close()
    return steps * body.count / took


def _kinematic(folder: Path, seed: int, seconds: float) -> float:
    return _rate(folder, KinematicBody(BATCH), seed, seconds)


def _on_all_cores(folder: Path, seconds: float) -> float:
    """The sum over processes that run at the same time; their start is not counted."""
    count = cores()
    with ProcessPoolExecutor(count, mp_context=multiprocessing.get_context("spawn")) as processes:
        list(processes.map(_kinematic, [folder] * count, range(count), [0.1] * count))  # they are up, and warm
        return sum(processes.map(_kinematic, [folder] * count, range(count), [seconds] * count))


def _naive(folder: Path, seconds: float) -> float:
    """One robot after the other: random turns towards a thing, as long as an episode of ours."""
    kinematics, chance = Kinematics(folder / GEOMETRY), random.Random(0)  # noqa: S311
    steps, began = 0, time.perf_counter()
    pose, place = AWAKE, np.zeros(3)
    while (took := time.perf_counter() - began) < seconds or not steps:
        if steps % LookAtTask.horizon == 0:
            azimuth, elevation, distance = (chance.uniform(*limits) for limits in (AZIMUTHS, ELEVATIONS, DISTANCES_M))
            pose, place = AWAKE, LookAtScene(azimuth, elevation, distance).place
        turn = chance.uniform(-STEP, STEP), chance.uniform(-STEP, STEP)
        target = replace(pose, yaw=pose.yaw + turn[0], pitch=pose.pitch - turn[1])
        if kinematics.reachable(target):
            pose = target
        miss(pose.head_matrix(), place)
        steps += 1
    return steps / took


def _plain_mujoco(folder: Path, cache: Path, seconds: float) -> float:
    """Decisions of simulated time a second that `mj_step` alone reaches, with a robot on each core that turns its head
    to a random direction once a second."""
    import mujoco

    from reachy_mind.sim.scene import ASLEEP_KEY, TIMESTEP_S, model

    scene, kinematics = model(folder, "empty", "physics", cache), BatchKinematics(folder / GEOMETRY)
    steps = round(DECISION_S / TIMESTEP_S)

    def run(seed: int) -> float:
        rng, data = np.random.default_rng(seed), mujoco.MjData(scene)
        mujoco.mj_resetDataKeyframe(scene, data, scene.key(ASLEEP_KEY).id)
        neutral = np.array(AWAKE.as_tuple)
        data.ctrl[:7] = 0.0, *kinematics.legs(neutral[None])[0]
        mujoco.mj_step(scene, data, nstep=10 * steps)
        done, began = 0, time.perf_counter()
        while (took := time.perf_counter() - began) < seconds or not done:
            if done % 10 == 0:
                target = neutral.copy()
                target[4:6] = rng.uniform(-math.radians(20), math.radians(20), 2)
                data.ctrl[1:7] = kinematics.legs(target[None])[0]
            if data.time > RESTART_S:
                mujoco.mj_resetDataKeyframe(scene, data, scene.key(ASLEEP_KEY).id)
            mujoco.mj_step(scene, data, nstep=steps)
            done += 1
        return done / took

    count = cores()
    with ThreadPoolExecutor(count) as threads:
        return sum(threads.map(run, range(count)))
