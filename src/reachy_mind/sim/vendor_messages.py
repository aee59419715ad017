"""Messages of the vendor's protocol on `/ws/sdk` that our own client never sends; with `body.protocol` all of 1.13.

The vendor's daemon answers queries over WebRTC only and ignores them on this socket. The simulator answers with an
error that names the REST route instead, or says that a command is not simulated.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from reachy_mind.body import protocol
from reachy_mind.body.protocol import Message
from reachy_mind.sim.device import RobotName, Volume

Encoding = Literal["json", "gzip+base64"]
Seconds = Annotated[float, Field(ge=0, le=600)]

ANSWERED_BY = {
    "get_motor_mode": "GET /api/motors/status",
    "get_state": "GET /api/state/full",
    "get_version": "GET /api/daemon/status",
    "get_hardware_id": "GET /api/daemon/hardware-id",
    "get_imu": "GET /api/state/imu",
    "get_tracked_face": "GET /api/media/tracking/face",
    "get_volume": "GET /api/volume/current",
    "get_microphone_volume": "GET /api/volume/microphone/current",
    "get_robot_name": "GET /api/daemon/robot-name",
    "get_first_wake_up": "nowhere but over WebRTC",
    "get_telemetry": "GET /api/telemetry",
    "read_audio_parameter": "GET /api/audio/config/parameter/{name}",
}
NOT_SIMULATED = {
    "clear_incoming_audio": "nothing comes in over WebRTC",
    "apply_audio_config": "it has no audio board",
    "subscribe_logs": "its log is on its standard error",
    "unsubscribe_logs": "its log is on its standard error",
    "subscribe_pose": "poses come by themselves on this socket, fifty times a second",
    "unsubscribe_pose": "poses come by themselves on this socket, fifty times a second",
    "delete_hf_token": "it keeps no account",
    "start_update": "it is updated with the package it came with",
}


class Query(Message):
    type: Literal[
        "get_motor_mode",
        "get_state",
        "get_version",
        "get_hardware_id",
        "get_imu",
        "get_tracked_face",
        "get_volume",
        "get_microphone_volume",
        "get_robot_name",
        "get_first_wake_up",
        "get_telemetry",
        "read_audio_parameter",
    ]


class UnsimulatedCommand(Message):
    type: Literal[
        "clear_incoming_audio",
        "apply_audio_config",
        "subscribe_logs",
        "unsubscribe_logs",
        "subscribe_pose",
        "unsubscribe_pose",
        "delete_hf_token",
        "start_update",
    ]


class PlayRecordedMove(Message):
    type: Literal["play_recorded_move"] = "play_recorded_move"
    move_name: str
    dataset_name: str | None = None
    initial_goto_duration: Seconds = 0.0


class PreloadDataset(Message):
    type: Literal["preload_dataset"] = "preload_dataset"
    dataset_name: str


class Uploaded(Message):
    """A message about one upload."""

    upload_id: str


class UploadStart(Uploaded):
    total_chunks: Annotated[int, Field(ge=1, le=4096)]


class UploadChunk(Uploaded):
    chunk_index: Annotated[int, Field(ge=0)]
    chunk: Annotated[str, Field(max_length=16 * 1024)]


class UploadMoveStart(UploadStart):
    type: Literal["upload_move_start"] = "upload_move_start"
    encoding: Encoding = "json"


class UploadMoveChunk(UploadChunk):
    type: Literal["upload_move_chunk"] = "upload_move_chunk"


class UploadMoveFinish(Uploaded):
    type: Literal["upload_move_finish"] = "upload_move_finish"


class PlayUploadedMove(Uploaded):
    type: Literal["play_uploaded_move"] = "play_uploaded_move"
    initial_goto_duration: Seconds = 0.0


class CancelMove(Uploaded):
    type: Literal["cancel_move"] = "cancel_move"


class UploadAudioStart(UploadStart):
    type: Literal["upload_audio_start"] = "upload_audio_start"
    encoding: str = "wav-base64"


class UploadAudioChunk(UploadChunk):
    type: Literal["upload_audio_chunk"] = "upload_audio_chunk"


class UploadAudioFinish(Uploaded):
    type: Literal["upload_audio_finish"] = "upload_audio_finish"


class PlayUploadedAudio(Uploaded):
    type: Literal["play_uploaded_audio"] = "play_uploaded_audio"


class CancelAudio(Uploaded):
    type: Literal["cancel_audio"] = "cancel_audio"


class PlaySound(Message):
    type: Literal["play_sound"] = "play_sound"
    file: str


class SetVolume(Message):
    type: Literal["set_volume"] = "set_volume"
    volume: Volume


class SetMicrophoneVolume(Message):
    type: Literal["set_microphone_volume"] = "set_microphone_volume"
    volume: Volume


class SetRobotName(Message):
    type: Literal["set_robot_name"] = "set_robot_name"
    name: RobotName


class SetFirstWakeUp(Message):
    type: Literal["set_first_wake_up"] = "set_first_wake_up"
    is_completed: bool = True


class SetTelemetry(Message):
    type: Literal["set_telemetry"] = "set_telemetry"
    enabled: bool


class SetWobbling(Message):
    type: Literal["set_wobbling"] = "set_wobbling"
    enabled: bool


class SetHeadTracking(Message):
    type: Literal["set_head_tracking"] = "set_head_tracking"
    enabled: bool


class RestartDaemon(Message):
    type: Literal["restart_daemon"] = "restart_daemon"


VendorCommand = (
    Query
    | UnsimulatedCommand
    | PlayRecordedMove
    | PreloadDataset
    | UploadMoveStart
    | UploadMoveChunk
    | UploadMoveFinish
    | PlayUploadedMove
    | CancelMove
    | PlaySound
    | UploadAudioStart
    | UploadAudioChunk
    | UploadAudioFinish
    | PlayUploadedAudio
    | CancelAudio
    | SetVolume
    | SetMicrophoneVolume
    | SetRobotName
    | SetFirstWakeUp
    | SetTelemetry
    | SetWobbling
    | SetHeadTracking
    | RestartDaemon
)
AnyCommand = Annotated[protocol.Command | VendorCommand, Field(discriminator="type")]
commands: TypeAdapter[Any] = TypeAdapter(AnyCommand)
