"""`SimulatedRobot`: the behaviour of the vendor's daemon without a network: targets, moves, motor modes, recording.

Like the vendor's daemon it applies the last targets 50 times a second (inverse kinematics of the head pose) and steps
the world. One move runs at a time; meanwhile targets and other moves are refused. Where the vendor's daemon is silent
(a target ignored, a pose out of reach) this one raises `Refused`.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID, uuid4

from reachy_mind import log
from reachy_mind.body.kinematics import Kinematics
from reachy_mind.body.pose import ASLEEP, AWAKE, Pose
from reachy_mind.body.protocol import Interpolation, MotorMode
from reachy_mind.sim.recordings import Recording
from reachy_mind.sim.world import CONTROL_PERIOD_S, SimulatedWorld

_log = log.get(__name__)

EASINGS: dict[Interpolation, Callable[[float], float]] = {
    Interpolation.LINEAR: lambda t: t,
    Interpolation.MIN_JERK: lambda t: t * t * t * (10 - 15 * t + 6 * t * t),
    Interpolation.EASE_IN_OUT: lambda t: (1 - math.cos(math.pi * t)) / 2,
    Interpolation.CARTOON: lambda t: 1 + 2.7 * (t - 1) ** 3 + 1.7 * (t - 1) ** 2,
}


SAME_POSE_RADIANS = 0.01
"""Motor angles within this tolerance count as the same pose; the vendor uses the same value."""


class Refused(Exception):
    """The command was refused and changed nothing."""

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code, self.message, self.hint = code, message, hint


@dataclass(frozen=True)
class Leg:
    """A part of a move: to `target` in `duration` seconds, along a `path` over time, or a pause."""

    duration: float
    target: Pose | None = None
    easing: Callable[[float], float] = EASINGS[Interpolation.MIN_JERK]
    path: Callable[[float], Pose] | None = None


@dataclass
class RobotMove:
    """A sequence of legs; `done` resolves to None at the end, or to the reason of an early end."""

    name: str
    legs: deque[Leg]
    done: asyncio.Future[str | None]
    uuid: UUID = field(default_factory=uuid4)
    finally_mode: MotorMode | None = None
    started_at: float = 0.0
    start: Pose = AWAKE


class SimulatedRobot:
    """One simulated robot. Not thread-safe; lives in one event loop."""

    def __init__(self, world: SimulatedWorld, kinematics: Kinematics) -> None:
        self.world = world
        self.automatic_body_yaw = True
        self.error: str | None = None
        self.move: RobotMove | None = None
        self.listeners: list[Callable[[str, UUID, str], None]] = []
        """Called with `move_started`, `move_completed` or `move_cancelled`, the move's id and details."""
        self._kinematics = kinematics
        joints = kinematics.joints(AWAKE.head_matrix(), AWAKE.body_yaw)
        assert joints is not None
        self._up = (*joints, *AWAKE.antennas)
        self._head: tuple[float, ...] = world.head()
        self._body_yaw = world.joints()[0]
        self._offsets: tuple[float, ...] = (0.0,) * 6
        self._needs_solve = False
        self._records: list[dict[str, Any]] | None = None

    def tick(self) -> None:
        """One control period: 20 ms."""
        if self.move is not None:
            self._advance(self.move)
        if self._needs_solve:
            joints = self._solve_joints(self._head, self._body_yaw)
            self.error = None if joints else "head pose not achievable"
            if joints:
                self.world.drive(joints=joints)
            self._needs_solve = any(self._offsets)
        self.world.step()

    def _solve_joints(self, head: Sequence[float], body_yaw: float) -> tuple[float, ...] | None:
        if any(self._offsets):
            pose = Pose.from_head_matrix(head)
            x, y, z, roll, pitch, yaw = self._offsets
            pose = replace(pose, x=pose.x + x, y=pose.y + y, z=pose.z + z)
            pose = replace(pose, roll=pose.roll + roll, pitch=pose.pitch + pitch, yaw=pose.yaw + yaw)
            head = pose.head_matrix()
        solve = self._kinematics.joints_with_automatic_body_yaw if self.automatic_body_yaw else self._kinematics.joints
        return solve(head, body_yaw)

    def pose(self) -> Pose:
        """The measured pose."""
        return Pose.from_head_matrix(self.world.head(), body_yaw=self.world.joints()[0], antennas=self.world.antennas())

    # Targets

    def target(
        self,
        head: Sequence[float] | None = None,
        antennas: Sequence[float] | None = None,
        body_yaw: float | None = None,
    ) -> None:
        """Set targets directly. Raises Refused while a move runs or for a pose out of reach."""
        self._refuse_during_move()
        wanted = self._body_yaw if body_yaw is None else body_yaw
        new_head = self._head if head is None else tuple(head)
        if (head is not None or body_yaw is not None) and self._solve_joints(new_head, wanted) is None:
            raise Refused("OUT_OF_REACH", "no joint angles make this head pose; the last target stays")
        self._set(new_head if head is not None else None, antennas, body_yaw)

    def _set(self, head: tuple[float, ...] | None, antennas: Sequence[float] | None, body_yaw: float | None) -> None:
        if head is not None:
            self._head, self._needs_solve = head, True
        if body_yaw is not None:
            self._body_yaw, self._needs_solve = body_yaw, True
        if antennas is not None:
            self.world.drive(antennas=antennas)

    def target_joints(self, joints: Sequence[float]) -> None:
        """Set seven joint angles without inverse kinematics; the head-pose target stays stale, as on the robot."""
        self._refuse_during_move()
        self.world.drive(joints=joints)
        self._needs_solve = False

    def offset(self, offsets: Sequence[float]) -> None:
        """Added to every head target until changed: x, y, z, roll, pitch, yaw."""
        self._offsets, self._needs_solve = tuple(offsets), True

    def _refuse_during_move(self) -> None:
        if self.move is not None:
            raise Refused("MOVE_RUNNING", f"ignored: {self.move.name} is running", "wait for its end or send stop_move")

    # Moves

    def goto(
        self,
        head: Sequence[float] | None,
        antennas: Sequence[float] | None,
        body_yaw: float | None,
        duration: float,
        method: Interpolation = Interpolation.MIN_JERK,
    ) -> RobotMove:
        """Move in `duration` seconds; parts that are None stay. Raises Refused as `target` does."""
        now = self.pose()
        target = Pose.from_head_matrix(
            head or now.head_matrix(),
            body_yaw=now.body_yaw if body_yaw is None else body_yaw,
            antennas=antennas or now.antennas,
        )
        # Angles of a matrix are within half a turn: the head takes the short way unless that leaves its range.
        if head is not None and self._solve_joints(head, target.body_yaw) is None:
            raise Refused("OUT_OF_REACH", "no joint angles make this head pose; nothing moves")
        return self._start("goto", [Leg(duration, target, EASINGS[method])])

    def wake_up(self) -> RobotMove:
        """Raise and tilt the head. A robot that is awake stays still, as with the vendor's daemon."""
        tilted = replace(AWAKE, roll=math.radians(20))
        legs = [Leg(0.9, AWAKE), Leg(0.1), Leg(0.2, tilted), Leg(0.2, AWAKE)]
        return self._start("wake_up", [Leg(0.1)] if self._awake() else legs)

    def _awake(self) -> bool:
        """Motors on, with the awake pose as target."""
        away = max(abs(goal - up) for goal, up in zip(self.world.goals(), self._up, strict=True))
        return away < SAME_POSE_RADIANS and self.world.mode is MotorMode.ENABLED

    def goto_sleep(self) -> RobotMove:
        self._offsets = (0.0,) * 6
        legs = [Leg(2.0, ASLEEP), Leg(0.5)]
        if self.pose().distance(AWAKE) > 0.5 and self.pose().distance(ASLEEP) > 0.3:
            legs = [Leg(1.0, AWAKE), Leg(0.2), *legs]
        return self._start("goto_sleep", legs, finally_mode=MotorMode.DISABLED)

    def play(self, recording: Recording, initial_goto: float = 0.0) -> RobotMove:
        """Play a recorded move after a goto of `initial_goto` seconds (0: none). Raises Refused while a move runs.

        Frames out of reach are skipped, as in the vendor's daemon.
        """
        legs = [Leg(recording.duration, path=recording.pose)]
        if initial_goto > 0.0:
            legs.insert(0, Leg(initial_goto, recording.pose(0.0)))
        return self._start(recording.name, legs)

    def _start(self, name: str, legs: Sequence[Leg], finally_mode: MotorMode | None = None) -> RobotMove:
        self._refuse_during_move()
        done = asyncio.get_running_loop().create_future()
        self.move = RobotMove(name, deque(legs), done, finally_mode=finally_mode)
        self.move.started_at, self.move.start = self.world.time, self.pose()
        self._announce("move_started", self.move)
        return self.move

    def _announce(self, what: str, move: RobotMove, details: str = "") -> None:
        for listener in self.listeners:
            listener(what, move.uuid, details)

    def _advance(self, move: RobotMove) -> None:
        leg = move.legs[0]
        share = min((self.world.time + CONTROL_PERIOD_S - move.started_at) / leg.duration, 1.0)
        pose = None
        if leg.path is not None:
            pose = leg.path(share * leg.duration)
        elif leg.target is not None:
            pose = move.start.blend(leg.target, leg.easing(share))
        if pose is not None:
            self._set(pose.head_matrix(), pose.antennas, pose.body_yaw)
        if share >= 1.0:
            move.legs.popleft()
            move.started_at, move.start = self.world.time + CONTROL_PERIOD_S, leg.target or pose or move.start
            if not move.legs:
                self._end(move, None)

    def _end(self, move: RobotMove, reason: str | None) -> None:
        self.move = None
        if move.finally_mode is not None and reason is None:
            self.set_mode(move.finally_mode)
        if not move.done.done():
            move.done.set_result(reason)
        self._announce("move_cancelled" if reason else "move_completed", move, reason or "")

    def stop(self, uuid: UUID | None = None) -> bool:
        """End the running move, or only the move `uuid`. The robot holds its last target."""
        if self.move is None or (uuid is not None and self.move.uuid != uuid):
            return False
        self._end(self.move, "stopped")
        return True

    def reset(self) -> None:
        """Reset to the start: asleep, motors off, objects in place, no move."""
        self.stop()
        self.world.reset()
        self.automatic_body_yaw, self.error, self._records = True, None, None
        self._offsets = (0.0,) * 6
        self._hold_targets()

    # Motors and recording

    def set_mode(self, mode: MotorMode) -> None:
        """Set the motor mode. Targets become the current pose, so that nothing jumps. No effect if already set."""
        if self.world.set_mode(mode):
            self._hold_targets()

    def _hold_targets(self) -> None:
        pose = self.pose()
        self._head, self._body_yaw, self._needs_solve = pose.head_matrix(), pose.body_yaw, False

    def start_recording(self) -> None:
        self._records = []

    def append_record(self, record: dict[str, Any]) -> None:
        if self._records is None:
            raise Refused("NOT_READY", "nothing is being recorded", "send start_recording first")
        self._records.append(record)

    def stop_recording(self) -> list[dict[str, Any]]:
        records, self._records = self._records or [], None
        return records
