"""`Commands`: what each message on `/ws/sdk` does to the robot and to the daemon."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from datetime import UTC, datetime
from typing import Any

from fastapi import HTTPException

from reachy_mind.body import protocol
from reachy_mind.errors import InvalidParameter
from reachy_mind.sim import vocabulary as say
from reachy_mind.sim.device import Device
from reachy_mind.sim.hub import Hub
from reachy_mind.sim.recordings import EMOTIONS, Datasets, NoSuchMove, UnusableMove
from reachy_mind.sim.robot import Move, Refused, Robot
from reachy_mind.sim.service import Service
from reachy_mind.sim.sound import Sound
from reachy_mind.sim.sounds import Sounds
from reachy_mind.sim.uploads import Uploads, read_move, read_sound
from reachy_mind.sim.world import MOTORS


class Commands:
    """Obeys; what can't be done raises Refused, and the client is told."""

    def __init__(
        self,
        robot: Robot,
        device: Device,
        datasets: Datasets,
        sound: Sound,
        sounds: Sounds,
        service: Service,
        hub: Hub,
    ) -> None:
        self._robot, self._device, self._datasets = robot, device, datasets
        self._sound, self._sounds = sound, sounds
        self._service, self._hub = service, hub
        self._moves, self._audio = Uploads("move", read_move), Uploads("audio", read_sound)
        self._playing: tuple[str, Move] | None = None
        self._reports: set[asyncio.Task[None]] = set()

    async def aclose(self) -> None:
        for task in self._reports:
            task.cancel()
        await asyncio.gather(*self._reports, return_exceptions=True)

    def obey(self, command: Any) -> None:
        match command:
            case say.Query() as c:
                where = say.ANSWERED_BY[c.type]
                raise Refused("NOT_ANSWERED", f"no daemon answers {c.type} on this socket", f"ask {where}")
            case say.Unsimulated() as c:
                raise Refused(
                    "NOT_SIMULATED", f"{c.type} does nothing: this is a simulation, {say.NOT_SIMULATED[c.type]}"
                )
            case (
                say.PlayRecordedMove()
                | say.PreloadDataset()
                | say.UploadMoveStart()
                | say.UploadMoveChunk()
                | say.UploadMoveFinish()
                | say.PlayUploadedMove()
                | say.CancelMove()
            ):
                self._move(command)
            case (
                say.PlaySound()
                | say.UploadAudioStart()
                | say.UploadAudioChunk()
                | say.UploadAudioFinish()
                | say.PlayUploadedAudio()
                | say.CancelAudio()
            ):
                self._play(command)
            case (
                say.SetVolume()
                | say.SetMicrophoneVolume()
                | say.SetRobotName()
                | say.SetFirstWakeUp()
                | say.SetTelemetry()
                | say.SetWobbling()
                | say.SetHeadTracking()
                | say.RestartDaemon()
            ):
                self._change(command)
            case _:
                self._steer(command)

    def _steer(self, command: protocol.Command) -> None:  # noqa: PLR0912 -- one line per command of the protocol
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
            case protocol.Task() as c:
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
                self._hub.broadcast(protocol.RecordedData(data=robot.stop_recording()).model_dump_json())

    def _change(self, command: say.Further) -> None:
        device = self._device
        match command:
            case say.SetVolume() as c:
                self._sound.volume = c.volume
            case say.SetMicrophoneVolume() as c:
                self._sound.microphone_volume = c.volume
            case say.SetRobotName() as c:
                device.name = c.name
            case say.SetFirstWakeUp() as c:
                device.first_wake_up_done = c.is_completed
            case say.SetTelemetry(enabled=True):
                raise Refused("NOT_SIMULATED", "the simulator has no telemetry to switch on")
            case say.SetWobbling(enabled=False):
                self._robot.offset((0.0,) * 6)
            case say.SetHeadTracking(enabled=True):
                raise Refused("NOT_SIMULATED", "the simulated daemon does not look for faces")
            case say.RestartDaemon():
                try:
                    self._service.restart()
                except HTTPException as busy:
                    raise Refused("NOT_READY", str(busy.detail), "it is being started or stopped") from None

    # Moves

    def _move(self, command: say.Further) -> None:
        match command:
            case say.PlayRecordedMove() as c:
                try:
                    recording = self._datasets.read(c.dataset_name or EMOTIONS, c.move_name)
                except (NoSuchMove, UnusableMove) as error:
                    raise Refused("INVALID_PARAMETER", str(error)) from None
                move = self._robot.play(recording, c.initial_goto_duration)
                self._sounds.accompany(move, recording.sound, c.initial_goto_duration)
            case say.PreloadDataset() as c:
                try:
                    self._datasets.names(c.dataset_name)
                except NoSuchMove as error:
                    raise Refused("NOT_SIMULATED", str(error)) from None
            case say.UploadMoveStart() as c:
                self._moves.start(c.upload_id, c.total_chunks, c.encoding)
            case say.UploadMoveChunk() as c:
                self._moves.chunk(c.upload_id, c.chunk_index, c.chunk)
            case say.UploadMoveFinish() as c:
                self._moves.finish(c.upload_id)
            case say.PlayUploadedMove() as c:
                self._play_upload(c)
            case say.CancelMove(upload_id=upload_id):
                if self._playing is not None and self._playing[0] == upload_id:
                    self._robot.stop(self._playing[1].uuid)

    def _play_upload(self, command: say.PlayUploadedMove) -> None:
        recording = self._moves.take(command.upload_id)
        if recording is None:
            self._tell(command.upload_id, error="no such uploaded move (upload first)")
            return
        try:
            move = self._robot.play(recording, command.initial_goto_duration)
        except Refused as refused:
            self._tell(command.upload_id, error=refused.message)
            return
        self._playing = command.upload_id, move
        sound = self._audio.take(command.upload_id)
        self._sounds.accompany(move, sound, command.initial_goto_duration)
        heard = sound is not None
        self._tell(command.upload_id, started=True, duration_s=recording.duration, has_audio=heard)
        self._follow(self._await_upload(command.upload_id, move, heard=heard))

    async def _await_upload(self, upload_id: str, move: Move, *, heard: bool) -> None:
        reason = await move.done
        self._tell(upload_id, has_audio=heard, **{"cancelled" if reason else "finished": True})

    def _tell(self, upload_id: str, **what: object) -> None:
        self._hub.broadcast(json.dumps({"type": "play_uploaded_move", "upload_id": upload_id, **what}))

    # Sounds

    def _play(self, command: say.Further) -> None:
        match command:
            case say.PlaySound() as c:
                try:
                    self._sounds.play(c.file)
                except InvalidParameter as error:
                    raise Refused(error.code, error.message, error.hint) from None
            case say.UploadAudioStart() as c:
                self._audio.start(c.upload_id, c.total_chunks, c.encoding)
            case say.UploadAudioChunk() as c:
                self._audio.chunk(c.upload_id, c.chunk_index, c.chunk)
            case say.UploadAudioFinish() as c:
                self._audio.finish(c.upload_id)
            case say.PlayUploadedAudio(upload_id=upload_id):
                sound = self._audio.get(upload_id)
                if sound is None:
                    raise Refused("NOT_READY", f"no uploaded sound {upload_id!r}", "upload it first")
                self._sounds.start(upload_id, sound)
                self._hub.broadcast_json({"type": "play_uploaded_audio", "upload_id": upload_id, "started": True})
            case say.CancelAudio(upload_id=upload_id):
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

    def _run_task(self, task: protocol.Task) -> None:
        """A goto whose end, or refusal, every client is told."""
        try:
            wish = task.req
            move = self._robot.goto(wish.head, wish.antennas, wish.body_yaw, wish.duration, wish.method)
        except Refused as refused:
            self._report(task, refused.message)
            return
        self._follow(self._await_task(task, move))

    async def _await_task(self, task: protocol.Task, move: Move) -> None:
        self._report(task, await move.done)

    def _report(self, task: protocol.Task, error: str | None) -> None:
        progress = protocol.TaskProgress(uuid=task.uuid, finished=True, error=error, timestamp=datetime.now(UTC))
        self._hub.broadcast(progress.model_dump_json())

    def _follow(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._reports.add(task)
        task.add_done_callback(self._reports.discard)
