"""`Commands`: executes the messages of `/ws/sdk` on the simulated robot and daemon."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from datetime import UTC, datetime
from typing import Any

from fastapi import HTTPException

from reachy_mind.body import protocol
from reachy_mind.errors import InvalidParameter
from reachy_mind.sim import vendor_messages as messages
from reachy_mind.sim.daemon_service import DaemonService
from reachy_mind.sim.device import DaemonIdentity
from reachy_mind.sim.recordings import EMOTIONS, Datasets, NoSuchMove, UnusableMove
from reachy_mind.sim.robot import Refused, RobotMove, SimulatedRobot
from reachy_mind.sim.sound_files import Sounds
from reachy_mind.sim.sound_mixer import SoundMixer
from reachy_mind.sim.uploads import Uploads, read_move, read_sound
from reachy_mind.sim.websocket_clients import WebSocketClients
from reachy_mind.sim.world import MOTORS


class Commands:
    """Executes commands. Raises Refused for what can't be done; the daemon sends that to the client."""

    def __init__(
        self,
        robot: SimulatedRobot,
        device: DaemonIdentity,
        datasets: Datasets,
        sound: SoundMixer,
        sounds: Sounds,
        service: DaemonService,
        clients: WebSocketClients,
    ) -> None:
        self._robot, self._device, self._datasets = robot, device, datasets
        self._sound, self._sounds = sound, sounds
        self._service, self._clients = service, clients
        self._moves, self._audio = Uploads("move", read_move), Uploads("audio", read_sound)
        self._playing: tuple[str, RobotMove] | None = None
        self._reports: set[asyncio.Task[None]] = set()

    async def aclose(self) -> None:
        for task in self._reports:
            task.cancel()
        await asyncio.gather(*self._reports, return_exceptions=True)

    def execute(self, command: Any) -> None:
        match command:
            case messages.Query() as c:
                where = messages.ANSWERED_BY[c.type]
                raise Refused("NOT_ANSWERED", f"no daemon answers {c.type} on this socket", f"ask {where}")
            case messages.UnsimulatedCommand() as c:
                raise Refused(
                    "NOT_SIMULATED", f"{c.type} does nothing: this is a simulation, {messages.NOT_SIMULATED[c.type]}"
                )
            case (
                messages.PlayRecordedMove()
                | messages.PreloadDataset()
                | messages.UploadMoveStart()
                | messages.UploadMoveChunk()
                | messages.UploadMoveFinish()
                | messages.PlayUploadedMove()
                | messages.CancelMove()
            ):
                self._move(command)
            case (
                messages.PlaySound()
                | messages.UploadAudioStart()
                | messages.UploadAudioChunk()
                | messages.UploadAudioFinish()
                | messages.PlayUploadedAudio()
                | messages.CancelAudio()
            ):
                self._play(command)
            case (
                messages.SetVolume()
                | messages.SetMicrophoneVolume()
                | messages.SetRobotName()
                | messages.SetFirstWakeUp()
                | messages.SetTelemetry()
                | messages.SetWobbling()
                | messages.SetHeadTracking()
                | messages.RestartDaemon()
            ):
                self._configure(command)
            case _:
                self._control_robot(command)

    def _control_robot(self, command: protocol.Command) -> None:  # noqa: PLR0912 -- one line per command of the protocol
        robot = self._robot
        match command:
            case protocol.SetFullTarget() as c:
                robot.target(c.head, c.antennas, c.body_yaw)
            case protocol.SetTarget() as c:
                robot.target(head=c.head)
            case protocol.SetAntennas() as c:
                robot.target(antennas=c.antennas)
            case protocol.SetBodyYaw() as c:
                robot.target(body_yaw=c.body_yaw)
            case protocol.SetHeadJoints() as c:
                robot.target_joints(c.joints)
            case protocol.SetSpeechOffsets() as c:
                robot.offset(c.offsets)
            case protocol.GotoTarget() as c:
                robot.goto(c.head, c.antennas, c.body_yaw, c.duration)
            case protocol.TaskCommand() as c:
                self._run_task(c)
            case protocol.WakeUp():
                robot.wake_up()
            case protocol.GotoSleep():
                robot.goto_sleep()
            case protocol.StopMove():
                robot.stop()
            case protocol.SetMotorMode() as c:
                robot.set_mode(c.mode)
            case protocol.SetGravityCompensation() as c:
                on, off = protocol.MotorMode.GRAVITY_COMPENSATION, protocol.MotorMode.ENABLED
                robot.set_mode(on if c.enabled else off)
            case protocol.SetTorque() as c:
                self._set_torque(c)
            case protocol.SetAutomaticBodyYaw() as c:
                robot.automatic_body_yaw = c.enabled
            case protocol.StartRecording():
                robot.start_recording()
            case protocol.AppendRecord() as c:
                robot.append_record(c.record)
            case protocol.StopRecording():
                self._clients.broadcast(protocol.RecordedData(data=robot.stop_recording()).model_dump_json())

    def _configure(self, command: messages.VendorCommand) -> None:
        device = self._device
        match command:
            case messages.SetVolume() as c:
                self._sound.volume = c.volume
            case messages.SetMicrophoneVolume() as c:
                self._sound.microphone_volume = c.volume
            case messages.SetRobotName() as c:
                device.name = c.name
            case messages.SetFirstWakeUp() as c:
                device.first_wake_up_done = c.is_completed
            case messages.SetTelemetry(enabled=True):
                raise Refused("NOT_SIMULATED", "the simulator has no telemetry to switch on")
            case messages.SetWobbling(enabled=False):
                self._robot.offset((0.0,) * 6)
            case messages.SetHeadTracking(enabled=True):
                raise Refused("NOT_SIMULATED", "the simulated daemon does not look for faces")
            case messages.RestartDaemon():
                try:
                    self._service.restart()
                except HTTPException as busy:
                    raise Refused("NOT_READY", str(busy.detail), "it is being started or stopped") from None

    # Moves

    def _move(self, command: messages.VendorCommand) -> None:
        match command:
            case messages.PlayRecordedMove() as c:
                try:
                    recording = self._datasets.read(c.dataset_name or EMOTIONS, c.move_name)
                except (NoSuchMove, UnusableMove) as error:
                    raise Refused("INVALID_PARAMETER", str(error)) from None
                move = self._robot.play(recording, c.initial_goto_duration)
                self._sounds.accompany(move, recording.sound, c.initial_goto_duration)
            case messages.PreloadDataset() as c:
                try:
                    self._datasets.names(c.dataset_name)
                except NoSuchMove as error:
                    raise Refused("NOT_SIMULATED", str(error)) from None
            case messages.UploadMoveStart() as c:
                self._moves.start(c.upload_id, c.total_chunks, c.encoding)
            case messages.UploadMoveChunk() as c:
                self._moves.chunk(c.upload_id, c.chunk_index, c.chunk)
            case messages.UploadMoveFinish() as c:
                self._moves.finish(c.upload_id)
            case messages.PlayUploadedMove() as c:
                self._play_upload(c)
            case messages.CancelMove(upload_id=upload_id):
                if self._playing is not None and self._playing[0] == upload_id:
                    self._robot.stop(self._playing[1].uuid)

    def _play_upload(self, command: messages.PlayUploadedMove) -> None:
        recording = self._moves.take(command.upload_id)
        if recording is None:
            self._broadcast_move(command.upload_id, error="no such uploaded move (upload first)")
            return
        try:
            move = self._robot.play(recording, command.initial_goto_duration)
        except Refused as refused:
            self._broadcast_move(command.upload_id, error=refused.message)
            return
        self._playing = command.upload_id, move
        sound = self._audio.take(command.upload_id)
        self._sounds.accompany(move, sound, command.initial_goto_duration)
        heard = sound is not None
        self._broadcast_move(command.upload_id, started=True, duration_s=recording.duration, has_audio=heard)
        self._spawn(self._await_upload(command.upload_id, move, heard=heard))

    async def _await_upload(self, upload_id: str, move: RobotMove, *, heard: bool) -> None:
        reason = await move.done
        self._broadcast_move(upload_id, has_audio=heard, **{"cancelled" if reason else "finished": True})

    def _broadcast_move(self, upload_id: str, **what: object) -> None:
        self._clients.broadcast(json.dumps({"type": "play_uploaded_move", "upload_id": upload_id, **what}))

    # Sounds

    def _play(self, command: messages.VendorCommand) -> None:
        match command:
            case messages.PlaySound() as c:
                try:
                    self._sounds.play(c.file)
                except InvalidParameter as error:
                    raise Refused(error.code, error.message, error.hint) from None
            case messages.UploadAudioStart() as c:
                self._audio.start(c.upload_id, c.total_chunks, c.encoding)
            case messages.UploadAudioChunk() as c:
                self._audio.chunk(c.upload_id, c.chunk_index, c.chunk)
            case messages.UploadAudioFinish() as c:
                self._audio.finish(c.upload_id)
            case messages.PlayUploadedAudio(upload_id=upload_id):
                sound = self._audio.get(upload_id)
                if sound is None:
                    raise Refused("NOT_READY", f"no uploaded sound {upload_id!r}", "upload it first")
                self._sounds.start(upload_id, sound)
                self._clients.broadcast_json({"type": "play_uploaded_audio", "upload_id": upload_id, "started": True})
            case messages.CancelAudio(upload_id=upload_id):
                self._sounds.stop(upload_id)

    def _set_torque(self, command: protocol.SetTorque) -> None:
        if command.ids is None:
            mode = protocol.MotorMode.ENABLED if command.on else protocol.MotorMode.DISABLED
            self._robot.set_mode(mode)
            return
        try:
            self._robot.world.set_torque(command.ids, command.on)
        except KeyError as error:
            hint = f"motors: {', '.join(MOTORS)}"
            raise Refused("INVALID_PARAMETER", f"no motor called {error}", hint) from None

    def _run_task(self, task: protocol.TaskCommand) -> None:
        """Run a goto whose end or refusal is broadcast to every client."""
        try:
            goto = task.req
            move = self._robot.goto(goto.head, goto.antennas, goto.body_yaw, goto.duration, goto.method)
        except Refused as refused:
            self._broadcast_progress(task, refused.message)
            return
        self._spawn(self._await_task(task, move))

    async def _await_task(self, task: protocol.TaskCommand, move: RobotMove) -> None:
        self._broadcast_progress(task, await move.done)

    def _broadcast_progress(self, task: protocol.TaskCommand, error: str | None) -> None:
        progress = protocol.TaskProgress(uuid=task.uuid, finished=True, error=error, timestamp=datetime.now(UTC))
        self._clients.broadcast(progress.model_dump_json())

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._reports.add(task)
        task.add_done_callback(self._reports.discard)
