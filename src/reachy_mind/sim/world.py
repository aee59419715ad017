"""`SimulatedWorld`: the physics of the robot and the objects around it, in MuJoCo, at any speed.

It has no clock and no thread: it advances when `step` is called. The real-time daemon calls it 50 times a second, a
learning environment as often as it can. The vendor marks the motors' dynamics as not identified: speeds and forces may
differ from those of a real robot.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import mujoco
import numpy as np

from reachy_mind import log
from reachy_mind.body.protocol import MotorMode
from reachy_mind.sim.body_pool import BodyPool
from reachy_mind.sim.people import SimulatedPeople
from reachy_mind.sim.scene import ASLEEP_KEY, TIMESTEP_S, SceneName, floor_height, model
from reachy_mind.sim.things import Things

MOTORS = (
    "body_rotation",
    *(f"stewart_{leg}" for leg in range(1, 7)),
    "right_antenna",
    "left_antenna",
)
CONTROL_PERIOD_S = 0.02
STEPS_PER_CONTROL = round(CONTROL_PERIOD_S / TIMESTEP_S)
HEAD_HEIGHT_M = 0.177
# With the friction of the description a head without motors sinks a millimetre in three seconds; a real head is down
# in two. These factors reduce friction and damping of legs and antennas without torque. The body's rotation keeps its
# full friction: gravity does not act on it, and a push would spin it.
LIMP_FRICTION, LIMP_DAMPING = 0.03, 0.05
REST_SPEED = 0.005
"""Radians a second below which a joint is at rest."""

_log = log.get(__name__)


class SimulatedWorld:
    """A robot in a scene. Joint orders are the protocol's: body yaw, six legs; antennas right, left."""

    def __init__(self, description: Path, scene: SceneName, cache: Path) -> None:
        self.scene = scene
        self._model = model(description, scene, "physics", cache)
        self._data = mujoco.MjData(self._model)
        self._joints = self._model.jnt_qposadr[self._model.actuator_trnid[:, 0]]
        self._head = self._model.site("head").id
        self._gains = self._model.actuator_gainprm.copy(), self._model.actuator_biasprm.copy()
        self._resistance = self._model.dof_frictionloss.copy(), self._model.dof_damping.copy()
        self._motor_dofs = self._model.jnt_dofadr[self._model.actuator_trnid[:, 0]]
        self._head_body = int(self._model.site_bodyid[self._head])
        self._push_ends = 0.0
        foot = self._model.body("body_foot_3dprint").id
        self._robot = np.flatnonzero(self._model.body_rootid == foot)
        self._robot_dofs = np.flatnonzero(np.isin(self._model.dof_bodyid, self._robot))
        self._rods = np.setdiff1d(self._robot_dofs, self._motor_dofs)
        self._weights = self._model.body_mass[self._robot] * -self._model.opt.gravity[2]
        self._torque = np.ones(len(MOTORS), dtype=bool)
        self._mode = MotorMode.DISABLED
        bodies = BodyPool(self._model)
        self.things = Things(self._model, self._data, bodies, scene)
        self.people = SimulatedPeople(self._data, bodies, floor=floor_height(scene))
        self.reset()

    def reset(self) -> None:
        """Reset: robot asleep, motors off, the scene's objects in place, no people."""
        now = self._data.time
        mujoco.mj_resetDataKeyframe(self._model, self._data, self._model.key(ASLEEP_KEY).id)
        self._data.time = now  # time continues, so that no clock jumps
        self.things.reset()
        self.people.clear()
        self._switch(MotorMode.DISABLED)
        mujoco.mj_forward(self._model, self._data)

    @property
    def time(self) -> float:
        """Simulated seconds since the start."""
        return float(self._data.time)

    @property
    def mode(self) -> MotorMode:
        return self._mode

    def set_mode(self, mode: MotorMode) -> bool:
        """Set the motors on (holding), off, or to gravity compensation. Returns whether that changed anything.

        As on the robot, setting the current mode does not interrupt a movement.
        """
        if mode is self._mode and (self._torque == (mode is MotorMode.ENABLED)).all():
            return False
        self._switch(mode)
        return True

    def _switch(self, mode: MotorMode) -> None:
        self._mode = mode
        self._torque[:] = mode is MotorMode.ENABLED
        self._end_push()
        self._hold(range(len(MOTORS)))
        self._apply_torque()

    def set_torque(self, motors: Sequence[str], on: bool) -> None:
        """Switch single motors. Raises KeyError for a name that is not in MOTORS."""
        for name in motors:
            if name not in MOTORS:
                raise KeyError(name)
        chosen = [MOTORS.index(name) for name in motors]
        self._torque[chosen] = on
        self._hold(chosen)
        self._apply_torque()

    def _hold(self, motors: Sequence[int]) -> None:
        """Set the targets of motors to their current positions, so that nothing jumps."""
        self._data.ctrl[motors] = self._data.qpos[self._joints[motors]]

    def _apply_torque(self) -> None:
        gains, biases = self._gains
        self._model.actuator_gainprm[:] = gains * self._torque[:, None]
        self._model.actuator_biasprm[:] = biases * self._torque[:, None]
        friction, damping = self._resistance
        limp = np.zeros(self._model.nv, dtype=bool)
        limp[self._motor_dofs[1:]] = ~self._torque[1:]
        limp[self._rods] = not self._torque[1:7].any()
        self._model.dof_frictionloss[:] = friction * np.where(limp, LIMP_FRICTION, 1.0)
        self._model.dof_damping[:] = damping * np.where(limp, LIMP_DAMPING, 1.0)

    def push(self, force: Sequence[float], torque: Sequence[float], duration: float) -> None:
        """Push the head for `duration` seconds: newtons and newton metres along the robot's axes."""
        self._end_push()
        self._data.xfrc_applied[self._head_body] += (*force, *torque)
        self._push_ends = self.time + duration

    def _end_push(self) -> None:
        """Remove external forces, except for the weight with gravity compensation."""
        self._push_ends = 0.0
        self._data.xfrc_applied[self._robot] = 0.0
        if self._mode is MotorMode.GRAVITY_COMPENSATION:
            self._data.xfrc_applied[self._robot, 2] = self._weights

    def drive(self, joints: Sequence[float] | None = None, antennas: Sequence[float] | None = None) -> None:
        """Set the targets of the motors."""
        if joints is not None:
            self._data.ctrl[:7] = joints
        if antennas is not None:
            self._data.ctrl[7:9] = -antennas[0], -antennas[1]

    def goals(self) -> list[float]:
        """The targets of the motors: body yaw, legs, antennas."""
        joints, antennas = self._data.ctrl[:7], -self._data.ctrl[7:9]
        return [float(goal) for goal in (*joints, *antennas)]

    def step(self, steps: int = STEPS_PER_CONTROL) -> None:
        """Simulate `steps` time steps of 2 ms."""
        if self._push_ends and self.time >= self._push_ends:
            self._end_push()
        self.people.advance(steps * TIMESTEP_S)
        mujoco.mj_step(self._model, self._data, nstep=steps)
        warnings = (
            mujoco.mjtWarning.mjWARN_BADQACC,
            mujoco.mjtWarning.mjWARN_BADQPOS,
            mujoco.mjtWarning.mjWARN_BADQVEL,
        )
        if any(self._data.warning[w].number for w in warnings):
            _log.error("the simulation became unstable and was reset", at_s=self.time)
            self.reset()

    @property
    def at_rest(self) -> bool:
        """Whether nothing moves: not the robot, no object, no person; and nobody pushes."""
        speed = float(np.abs(self._data.qvel[self._robot_dofs]).max())
        if speed >= REST_SPEED or self._push_ends or not all(person.at_rest for person in self.people):
            return False
        return all(self.things.at_rest(thing) for thing in self.things)

    def joints(self) -> list[float]:
        """Measured body yaw and leg angles."""
        return [float(q) for q in self._data.qpos[self._joints[:7]]]

    def antennas(self) -> list[float]:
        """Measured antenna angles, right then left."""
        return [-float(q) for q in self._data.qpos[self._joints[7:9]]]

    def head(self) -> tuple[float, ...]:
        """The head's measured 4x4 transform, row by row, relative to the neutral head."""
        turn = self._data.site_xmat[self._head]
        x, y, z = self._data.site_xpos[self._head]
        rows = ((*turn[0:3], x), (*turn[3:6], y), (*turn[6:9], z - HEAD_HEIGHT_M), (0.0, 0.0, 0.0, 1.0))
        return tuple(float(value) for row in rows for value in row)

    def places(self) -> dict[str, tuple[float, float, float]]:
        """Positions of the objects, in metres from the robot's foot."""
        return {thing.name: self.things.position(thing) for thing in self.things}

    def snapshot(self) -> bytes:
        """All positions, including people, for the camera process."""
        return b"".join(each.tobytes() for each in (self._data.qpos, self._data.mocap_pos, self._data.mocap_quat))
