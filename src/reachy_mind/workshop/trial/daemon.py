"""`TrialDaemon` and `TrialLink`: the robot's daemon of a trial, called directly instead of over a network."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from reachy_mind.body import protocol
from reachy_mind.body.link import RobotReport, measured_pose
from reachy_mind.body.pose import Pose, PoseTuple
from reachy_mind.body.protocol import MotorMode
from reachy_mind.errors import LinkLost
from reachy_mind.sim.camera import eye_specs
from reachy_mind.sim.robot import Refused, SimulatedRobot
from reachy_mind.workshop.trial.record import RecordedSound, TrialRecord

NAME = "reachy_mini_trial"
LOCK_CHECK_S = 600.0
"""No other program can take the robot of a trial."""


class TrialLink:
    """The connection of the control loop to the simulated robot. `lost`: why there is none; empty while there is."""

    def __init__(self, robot: SimulatedRobot) -> None:
        self.report = RobotReport()
        self.wanted = False
        self.lost = ""
        self._robot = robot
        self._target: PoseTuple | None = None

    @property
    def connected(self) -> bool:
        return self.wanted and not self.lost

    @property
    def reason(self) -> str:
        return self.lost

    def poll(self, now: float) -> None:
        """Read the robot's measured state."""
        if not self.connected:
            self.report, self._target = RobotReport(), None
            return
        if self.report.pose is None:
            self._robot.automatic_body_yaw = False
            self.measure()
        self.report.at, self.report.mode = now, self._robot.world.mode.value
        self.report.error = self._robot.error or ""

    def measure(self) -> None:
        """Read the pose, after the robot has moved."""
        world, report = self._robot.world, self.report
        report.joints = world.joints()
        report.pose = measured_pose(world.head(), report.joints[0], world.antennas())
        report.robot, report.version, report.simulated = NAME, protocol.VERSION, True

    def send_target(self, pose: PoseTuple) -> None:
        self._target = pose

    def apply_target(self) -> None:
        """Give the latest target to the robot, as its daemon does once in a control period."""
        target, self._target = self._target, None
        if target is not None and self._robot.move is None:
            pose = Pose(*target)
            try:
                self._robot.target(pose.head_matrix(), pose.antennas, pose.body_yaw)
            except Refused as refused:
                self._robot.error = refused.message

    def send_text(self, message: str) -> None:
        """Commands in text are sent when the main process has died, which is this one."""

    def close(self) -> None:
        self.wanted = False


class TrialDaemon:
    """Keeps the protocol `RobotDaemon`. Each request raises LinkLost while the link is lost.

    `changed` is called when a request has changed something about the robot.
    """

    lock_check_s = LOCK_CHECK_S

    def __init__(
        self, robot: SimulatedRobot, link: TrialLink, record: TrialRecord, *, changed: Callable[[], None]
    ) -> None:
        self._robot, self._link, self._record, self._changed = robot, link, record, changed
        self._volume = 50

    def _require_link(self) -> None:
        if self._link.lost:
            raise LinkLost(f"the robot does not answer: {self._link.lost}", hint="is it switched on?")

    async def aclose(self) -> None:
        """There is nothing to close."""

    async def check(self) -> protocol.DaemonStatus:
        self._require_link()
        body = protocol.BackendStatus(motor_control_mode=self._robot.world.mode, error=self._robot.error)
        return protocol.DaemonStatus(
            robot_name=NAME, state="running", simulation_enabled=True, backend_status=body, version=protocol.VERSION
        )

    async def check_lock(self) -> None:
        self._require_link()

    async def camera_specs(self) -> dict[str, Any]:
        self._require_link()
        return eye_specs()

    async def motor_mode(self) -> MotorMode:
        self._require_link()
        return self._robot.world.mode

    async def set_motor_mode(self, mode: MotorMode) -> None:
        self._require_link()
        self._robot.set_mode(mode)
        self._changed()

    async def stop_moves(self) -> None:
        self._require_link()
        self._robot.stop()
        self._changed()

    async def settle_motors(self) -> None:
        self._require_link()
        move = self._robot.goto(None, None, None, 0.2)
        self._changed()
        await move.done

    async def play_sound(self, sound: Path) -> None:
        self._require_link()
        self._record.sounds.append(RecordedSound(self._record.now(), sound.name))

    async def stop_sound(self) -> None:
        self._require_link()

    async def set_volume(self, volume: int) -> int:
        self._require_link()
        self._volume = volume
        return self._volume

    async def sound_direction(self) -> protocol.SoundDirection | None:
        """Straight ahead, and nobody speaks."""
        self._require_link()
        return protocol.SoundDirection(angle=math.pi / 2, speech_detected=False)

    async def disable_own_motion(self) -> None:
        self._require_link()
        self._robot.offset((0.0,) * 6)

    async def resume_tracking(self) -> None:
        """It tracks no faces by itself."""
