"""`PhysicsBody`: many simulated robots with motors, rods and gravity, stepped by MuJoCo on all cores.

The model is the robot alone: no surroundings and no shapes, so nothing collides; masses, motors and friction are those
of the description. A decision is sent as the control loop would send it, in commands of 20 ms on the straight way from
the last target to the next.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from reachy_mind.body.batch_kinematics import BatchKinematics
from reachy_mind.body.pose import AWAKE
from reachy_mind.learning.environments.bodies import DECISION_S, Array, Mask

COMMAND_S = 0.02
COMMANDS = round(DECISION_S / COMMAND_S)
STEP_S = 0.005
"""The head stays within 0.3 degrees of the same robot in steps of 2 ms; with 10 ms it differs by a degree."""
SETTLE_S = 2.0
TOLERANCE_S = 1e-6
BLOCK = 256
"""Robots that are stepped in one call: bounds the memory of the states between, which MuJoCo gives back too."""
HEAD_HEIGHT_M = 0.177
BODY_YAW, ANTENNA_LEFT, ANTENNA_RIGHT = 6, 7, 8


def cores() -> int:
    """That this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class PhysicsBody:
    """`description`: of the robot; `cache`: of compiled scenes. Raises AssetError without the description."""

    def __init__(
        self, count: int, description: Path, cache: Path, *, step_s: float = STEP_S, threads: int | None = None
    ) -> None:
        import mujoco  # noqa: PLC0415 -- slow to load
        from mujoco import rollout  # noqa: PLC0415

        self.count = count
        self._kinematics = BatchKinematics(description / "kinematics_data.json")
        self._mujoco = mujoco
        self._model, asleep = _robot(description, cache)
        self._model.opt.timestep = step_s
        self._repeats = round(COMMAND_S / step_s)
        if abs(self._repeats * step_s - COMMAND_S) > 1e-9:
            raise ValueError(f"a command of {COMMAND_S} s is no whole number of steps of {step_s} s")
        threads = threads or min(cores(), count)
        self._scratch = [mujoco.MjData(self._model) for _ in range(threads)]
        self._rollout = rollout.Rollout(nthread=threads if threads > 1 else 0)
        self._joints = self._model.jnt_qposadr[self._model.actuator_trnid[:, 0]]
        self._head = self._model.site("head").id
        self._neutral = np.array(AWAKE.as_tuple)
        self._awake = self._settled(asleep)
        self._states: Array = np.tile(self._awake, (count, 1))
        self._commanded: Array = np.tile(self._neutral, (count, 1))
        self._awake_pose = self._measured(self._awake[None])
        self.poses: Array = np.tile(self._awake_pose, (count, 1))

    def reset(self, rows: Mask) -> None:
        self._states[rows] = self._awake
        self._commanded[rows] = self._neutral
        self.poses[rows] = self._awake_pose

    def move(self, targets: Array) -> None:
        """Raises ValueError for targets out of the rods' reach: the safety filter comes first."""
        controls, ends = self._controls(targets), self._states[:, 0] + DECISION_S
        for begin in range(0, self.count, BLOCK):
            block = slice(begin, begin + BLOCK)
            self._states[block] = self._stepped(self._states[block], controls[block])
        # MuJoCo ends an unstable simulation early. It begins anew, as in `SimulatedWorld`.
        whole = (np.abs(self._states[:, 0] - ends) < TOLERANCE_S) & np.isfinite(self._states).all(axis=1)
        self._states[~whole] = self._awake
        self._commanded = targets.copy()
        self.poses = self._measured(self._states)

    def close(self) -> None:
        self._rollout.close()

    def _controls(self, targets: Array) -> Array:
        """The motors' targets in each step of the decision: (count, steps, 9)."""
        shares = (np.arange(COMMANDS) + 1.0)[None, :, None] / COMMANDS
        path = self._commanded[:, None] + (targets - self._commanded)[:, None] * shares
        controls = _motors(self._kinematics, path.reshape(-1, 9))
        if not np.isfinite(controls).all():
            raise ValueError("a target is out of reach")
        return np.repeat(controls.reshape(len(targets), COMMANDS, -1), self._repeats, axis=1)

    def _stepped(self, states: Array, controls: Array) -> Array:
        """The states after these controls."""
        passed, _ = self._rollout.rollout(self._model, self._scratch, states, controls)
        last: Array = passed[:, -1]
        return last

    def _measured(self, states: Array) -> Array:
        """The poses in these states, the head's by MuJoCo's forward kinematics."""
        data, positions = self._scratch[0], states[:, 1 : 1 + self._model.nq]
        heads = np.empty((len(states), 12))
        for row, position in enumerate(positions):
            data.qpos[:] = position
            self._mujoco.mj_kinematics(self._model, data)
            heads[row, :3], heads[row, 3:] = data.site_xpos[self._head], data.site_xmat[self._head]
        return head_poses(heads, positions[:, self._joints])

    def _settled(self, asleep: Array) -> Array:
        """The state of a robot at rest in the neutral posture, reached from sleep."""
        mujoco, data = self._mujoco, self._scratch[0]
        mujoco.mj_resetData(self._model, data)
        data.qpos[:] = asleep
        data.ctrl[:] = _motors(self._kinematics, self._neutral[None])[0]
        mujoco.mj_step(self._model, data, nstep=round(SETTLE_S / self._model.opt.timestep))
        data.time = 0.0
        data.qvel[:] = 0.0
        kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
        state: Array = np.empty(mujoco.mj_stateSize(self._model, kind))
        mujoco.mj_getState(self._model, data, state, kind)
        return state


def head_poses(heads: Array, joints: Array) -> Array:
    """Poses from places and rotation matrices of the head (count, 12) and the motors' joints (count, 9)."""
    turn = heads[:, 3:]
    columns = (
        *(heads[:, 0], heads[:, 1], heads[:, 2] - HEAD_HEIGHT_M),
        np.arctan2(turn[:, 7], turn[:, 8]),
        np.arctan2(-turn[:, 6], np.hypot(turn[:, 0], turn[:, 3])),
        np.arctan2(turn[:, 3], turn[:, 0]),
        *(joints[:, 0], -joints[:, 8], -joints[:, 7]),
    )
    return np.stack(columns, axis=1)


def _motors(kinematics: BatchKinematics, poses: Array) -> Array:
    """The targets of MuJoCo's motors in these poses: body yaw, six legs, antennas right and left."""
    antennas = -poses[:, [ANTENNA_RIGHT, ANTENNA_LEFT]]
    return np.concatenate([poses[:, [BODY_YAW]], kinematics.legs(poses), antennas], axis=1)


def _robot(description: Path, cache: Path) -> tuple[Any, Array]:
    """The model of the robot alone, and the positions of its joints asleep, in which the rods are in place."""
    import mujoco  # noqa: PLC0415

    from reachy_mind.sim.scene import ASLEEP_KEY, model  # noqa: PLC0415 -- MuJoCo

    scene = model(description, "empty", "physics", cache)
    spec = mujoco.MjSpec.from_file(str(description / "mjcf" / "reachy_mini.xml"))
    for part in (*spec.geoms, *spec.meshes):
        spec.delete(part)
    robot = spec.compile()
    asleep: Array = np.empty(robot.nq)
    for joint in range(robot.njnt):
        name, place = robot.joint(joint).name, robot.jnt_qposadr[joint]
        values = scene.key(ASLEEP_KEY).qpos[scene.joint(name).qposadr[0] :]
        size = 4 if robot.jnt_type[joint] == mujoco.mjtJoint.mjJNT_BALL else 1
        asleep[place : place + size] = values[:size]
    return robot, asleep
