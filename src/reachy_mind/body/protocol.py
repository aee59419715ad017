"""The robot daemon's wire protocol, version 1.13, as far as we use it. Client and simulator share this module.

**`/ws/sdk`**, JSON text frames `{"type": ...}`. The client sends commands and gets no reply. An "ok" would mean
nothing: the daemon ignores targets while a move runs, and keeps the old target when a pose can't be reached. The stream
that the daemon pushes tells what the robot did:

| message | rate | content |
|---|---|---|
| `joint_positions` | 50 Hz | `head_joint_positions` (body yaw, six legs), `antennas_joint_positions` (right, left) |
| `head_pose` | 50 Hz | `head_pose`, 4 rows of 4, relative to the neutral head |
| `daemon_status` | 1 Hz | version, state, motor mode, errors |
| `task_progress` | when a `task` ends | its `uuid`, `finished`, `error` |
| `recorded_data` | after `stop_recording` | what was recorded |
| `error` | simulator only | `code`, `message`, `hint` for a frame it could not use; other clients skip unknown types |

**REST** under `/api`: see the constants below. Routes of the simulator alone are under `/sim/v1`.

Angles are radians, lengths metres, antennas right then left, a head is a 4x4 transform row by row (16 numbers). Every
number must be finite.
"""

from __future__ import annotations

import hashlib
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, TypeAdapter

VERSION = "1.13.0"
OLDEST = (1, 10)
"""Daemons before 1.10 drop the connection on `set_full_target`."""

DEFAULT_PORT = 8000
SERVICE_TYPE = "_reachy-mini._tcp.local."
MAX_MESSAGE_BYTES = 1 << 20
STATE_RATE_HZ = 50

SDK_SOCKET = "/ws/sdk"
STATUS_ROUTE = "/api/daemon/status"
LOCK_ROUTE = "/api/daemon/robot-app-lock-status"
MOTORS_ROUTE = "/api/motors/status"
SET_MOTORS_ROUTE = "/api/motors/set_mode"
STATE_ROUTE = "/api/state/full"
DIRECTION_ROUTE = "/api/state/doa"
GOTO_ROUTE = "/api/move/goto"
RUNNING_ROUTE = "/api/move/running"
STOP_ROUTE = "/api/move/stop"
MEDIA_ROUTE = "/api/media/status"
CAMERA_ROUTE = "/api/camera/specs"
RELEASE_ROUTE = "/api/media/release"
ACQUIRE_ROUTE = "/api/media/acquire"
UPLOAD_ROUTE = "/api/media/sounds/upload"
SOUND_ROUTE = "/api/media/play_sound"
STOP_SOUND_ROUTE = "/api/media/stop_sound"
WOBBLING_OFF_ROUTE = "/api/media/wobbling/disable"
TRACKING_ON_ROUTE = "/api/media/tracking/enable"
TRACKING_OFF_ROUTE = "/api/media/tracking/disable"
VOLUME_ROUTE = "/api/volume/current"
SET_VOLUME_ROUTE = "/api/volume/set"
SIM_PREFIX = "/sim/v1"
SIM_AUDIO = "/sim/v1/audio"


def frame_digest(jpeg: bytes) -> str:
    """The id of a frame of the simulated camera, derived from its bytes."""
    return hashlib.blake2b(jpeg, digest_size=16).hexdigest()


Head = Annotated[list[FiniteFloat], Field(min_length=16, max_length=16)]
HeadJoints = Annotated[list[FiniteFloat], Field(min_length=7, max_length=7)]
Antennas = Annotated[list[FiniteFloat], Field(min_length=2, max_length=2)]
Duration = Annotated[FiniteFloat, Field(gt=0, le=600)]


class MotorMode(StrEnum):
    ENABLED = "enabled"
    DISABLED = "disabled"
    GRAVITY_COMPENSATION = "gravity_compensation"


class Interpolation(StrEnum):
    LINEAR = "linear"
    MIN_JERK = "minjerk"
    EASE_IN_OUT = "ease_in_out"
    CARTOON = "cartoon"


class Message(BaseModel):
    model_config = ConfigDict(frozen=True)


class SetTarget(Message):
    type: Literal["set_target"] = "set_target"
    head: Head


class SetHeadJoints(Message):
    type: Literal["set_head_joints"] = "set_head_joints"
    joints: HeadJoints


class SetBodyYaw(Message):
    type: Literal["set_body_yaw"] = "set_body_yaw"
    body_yaw: FiniteFloat


class SetAntennas(Message):
    type: Literal["set_antennas"] = "set_antennas"
    antennas: Antennas


class SetFullTarget(Message):
    type: Literal["set_full_target"] = "set_full_target"
    head: Head | None = None
    antennas: Antennas | None = None
    body_yaw: FiniteFloat | None = None


class GotoTarget(Message):
    type: Literal["goto_target"] = "goto_target"
    head: Head | None = None
    antennas: Antennas | None = None
    duration: Duration = 0.5
    body_yaw: FiniteFloat | None = None


class WakeUp(Message):
    type: Literal["wake_up"] = "wake_up"


class GotoSleep(Message):
    type: Literal["goto_sleep"] = "goto_sleep"


class StopMove(Message):
    type: Literal["stop_move"] = "stop_move"


class SetMotorMode(Message):
    type: Literal["set_motor_mode"] = "set_motor_mode"
    mode: MotorMode


class SetTorque(Message):
    type: Literal["set_torque"] = "set_torque"
    on: bool
    ids: list[str] | None = None


class SetGravityCompensation(Message):
    type: Literal["set_gravity_compensation"] = "set_gravity_compensation"
    enabled: bool


class SetAutomaticBodyYaw(Message):
    type: Literal["set_automatic_body_yaw"] = "set_automatic_body_yaw"
    enabled: bool


class SetSpeechOffsets(Message):
    type: Literal["set_speech_offsets"] = "set_speech_offsets"
    offsets: Annotated[list[FiniteFloat], Field(min_length=6, max_length=6)]


class StartRecording(Message):
    type: Literal["start_recording"] = "start_recording"


class AppendRecord(Message):
    type: Literal["append_record"] = "append_record"
    record: dict[str, Any]


class StopRecording(Message):
    type: Literal["stop_recording"] = "stop_recording"


class GotoTask(Message):
    """No defaults: the daemon requires every key, null or not."""

    head: Head | None
    antennas: Antennas | None
    duration: Duration
    method: Interpolation
    body_yaw: FiniteFloat | None


class TaskCommand(Message):
    """A goto whose end is announced by `task_progress` with the same uuid."""

    type: Literal["task"] = "task"
    uuid: UUID
    req: GotoTask
    timestamp: datetime


Command = Annotated[
    SetTarget
    | SetHeadJoints
    | SetBodyYaw
    | SetAntennas
    | SetFullTarget
    | GotoTarget
    | WakeUp
    | GotoSleep
    | StopMove
    | SetMotorMode
    | SetTorque
    | SetGravityCompensation
    | SetAutomaticBodyYaw
    | SetSpeechOffsets
    | StartRecording
    | AppendRecord
    | StopRecording
    | TaskCommand,
    Field(discriminator="type"),
]
commands: TypeAdapter[Command] = TypeAdapter(Command)


class BackendStatus(Message):
    motor_control_mode: MotorMode
    error: str | None = None


class FaceTarget(Message):
    detected: bool = False
    x: float | None = None
    y: float | None = None
    roll: float | None = None
    ts: float | None = None


class DaemonStatus(Message):
    type: Literal["daemon_status"] = "daemon_status"
    robot_name: str
    state: Literal["not_initialized", "starting", "running", "stopping", "stopped", "error"]
    wireless_version: bool = False
    desktop_app_daemon: bool = False
    simulation_enabled: bool | None = None
    mockup_sim_enabled: bool | None = None
    no_media: bool = False
    media_released: bool = False
    camera_specs_name: str = ""
    backend_status: BackendStatus | None = None
    error: str | None = None
    wlan_ip: str | None = None
    version: str | None = None
    hardware_id: str | None = None
    face_target: FaceTarget = FaceTarget()


class TaskProgress(Message):
    type: Literal["task_progress"] = "task_progress"
    uuid: UUID
    finished: bool = False
    error: str | None = None
    timestamp: datetime


class RecordedData(Message):
    type: Literal["recorded_data"] = "recorded_data"
    data: list[dict[str, Any]]


class ErrorNote(Message):
    """Simulator only: why a frame was not used."""

    type: Literal["error"] = "error"
    code: str
    message: str
    hint: str = ""


class MediaStatus(Message):
    """Whether the daemon has camera and sound, has released them, or runs without."""

    available: bool = False
    released: bool = False
    no_media: bool = False


class AppLock(Message):
    state: Literal["free", "local_app", "remote_session"]
    holder_name: str | None = None


class SoundDirection(Message):
    """Direction of arrival of a sound, relative to the head: 0 left, pi/2 ahead or behind, pi right."""

    angle: float
    speech_detected: bool


class VolumeStatus(Message):
    volume: int


class MotorStatus(Message):
    mode: MotorMode


class MoveId(Message):
    uuid: UUID


def parse_version(text: str | None) -> tuple[int, int] | None:
    """(major, minor) of a daemon's version; None when it can't be parsed."""
    parts = (text or "").split(".")
    return (int(parts[0]), int(parts[1])) if len(parts) >= 2 and parts[0].isdigit() and parts[1].isdigit() else None
