"""`/api/move`: targets, gotos, recorded moves and their updates; `/api/motors`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any
from uuid import UUID

from fastapi import APIRouter, Depends, HTTPException, WebSocket, WebSocketDisconnect
from pydantic import BaseModel, FiniteFloat, ValidationError

from reachy_mind.body import protocol
from reachy_mind.sim.daemon_service import TRY_AGAIN_LATER, DaemonService
from reachy_mind.sim.recordings import Datasets, NoSuchMove, Recording, UnusableMove
from reachy_mind.sim.rest.poses import AnyHead
from reachy_mind.sim.robot import Refused, RobotMove, SimulatedRobot
from reachy_mind.sim.sound_files import Sounds
from reachy_mind.sim.websocket_clients import WebSocketClients


class GotoRequest(BaseModel):
    head_pose: AnyHead | None = None
    antennas: protocol.Antennas | None = None
    body_yaw: FiniteFloat | None = None
    duration: protocol.Duration
    interpolation: protocol.Interpolation = protocol.Interpolation.MIN_JERK


class TargetRequest(BaseModel):
    target_head_pose: AnyHead | None = None
    target_antennas: protocol.Antennas | None = None
    target_body_yaw: FiniteFloat | None = None


def _start_move(start: Callable[..., RobotMove], *arguments: Any) -> protocol.MoveId:
    """Start a move and return its id. A refusal is a 409; the vendor's daemon answers with an id anyway."""
    try:
        return protocol.MoveId(uuid=start(*arguments).uuid)
    except Refused as refused:
        raise HTTPException(409, f"{refused.message}. {refused.hint}".strip()) from None


def _set_target(robot: SimulatedRobot, body: TargetRequest) -> None:
    head = body.target_head_pose.matrix() if body.target_head_pose else None
    robot.target(head, body.target_antennas, body.target_body_yaw)


def move_routes(robot: SimulatedRobot, datasets: Datasets, sounds: Sounds, service: DaemonService) -> APIRouter:
    router = APIRouter(prefix="/api/move")
    needs_robot = [Depends(service.require_running)]

    @router.get("/running")
    async def running() -> list[protocol.MoveId]:
        return [protocol.MoveId(uuid=robot.move.uuid)] if robot.move else []

    @router.post("/goto", dependencies=needs_robot)
    async def goto(body: GotoRequest) -> protocol.MoveId:
        head = body.head_pose.matrix() if body.head_pose else None
        return _start_move(robot.goto, head, body.antennas, body.body_yaw, body.duration, body.interpolation)

    @router.post("/play/wake_up", dependencies=needs_robot)
    async def wake_up() -> protocol.MoveId:
        return _start_move(robot.wake_up)

    @router.post("/play/goto_sleep", dependencies=needs_robot)
    async def goto_sleep() -> protocol.MoveId:
        return _start_move(robot.goto_sleep)

    @router.post("/stop")
    async def stop(body: protocol.MoveId) -> dict[str, str]:
        if not robot.stop(body.uuid):
            raise HTTPException(404, f"no move {body.uuid} is running")
        return {"message": f"Stopped move with UUID: {body.uuid}"}

    @router.post("/set_target", dependencies=needs_robot)
    async def set_target(body: TargetRequest) -> dict[str, str]:
        try:
            _set_target(robot, body)
        except Refused as refused:
            return {"status": "ignored", "reason": refused.code.lower()}
        return {"status": "ok"}

    @router.websocket("/ws/set_target")
    async def stream_targets(socket: WebSocket) -> None:
        await socket.accept()
        with contextlib.suppress(WebSocketDisconnect):
            while True:
                text = await socket.receive_text()
                if service.state != "running":
                    await socket.close(TRY_AGAIN_LATER, "Backend not running")
                    return
                try:
                    _set_target(robot, TargetRequest.model_validate_json(text))
                except (ValidationError, Refused) as error:
                    await socket.send_json({"status": "error", "detail": str(error)})

    @router.get("/recorded-move-datasets/list/{dataset_name:path}")
    def list_recorded(dataset_name: str) -> list[str]:
        try:
            return datasets.names(dataset_name)
        except NoSuchMove as error:
            raise HTTPException(404, str(error)) from None

    def perform(recording: Recording) -> RobotMove:
        move = robot.play(recording)
        sounds.accompany(move, recording.sound)
        return move

    def read(dataset_name: str, move_name: str) -> Recording:
        try:
            return datasets.read(dataset_name, move_name)
        except NoSuchMove as error:
            raise HTTPException(404, str(error)) from None
        except UnusableMove as error:
            raise HTTPException(422, str(error)) from None

    @router.post("/play/recorded-move-dataset/{dataset_name:path}/{move_name}", dependencies=needs_robot)
    async def play_recorded(recording: Recording = Depends(read)) -> protocol.MoveId:  # noqa: B008 -- read in a thread
        return _start_move(perform, recording)

    return router


def update_routes(robot: SimulatedRobot) -> APIRouter:
    """`/api/move/ws/updates`: start and end of every move."""
    router = APIRouter(prefix="/api/move")
    listeners = WebSocketClients()

    def announce(what: str, uuid: UUID, details: str) -> None:
        listeners.broadcast_json({"type": what, "uuid": str(uuid), "details": details})

    robot.listeners.append(announce)

    @router.websocket("/ws/updates")
    async def updates(socket: WebSocket) -> None:
        await socket.accept()
        async with listeners.connected(socket):
            with contextlib.suppress(WebSocketDisconnect):
                while True:
                    await socket.receive_text()

    return router


def motor_routes(robot: SimulatedRobot, service: DaemonService) -> APIRouter:
    router = APIRouter(dependencies=[Depends(service.require_running)])

    @router.get(protocol.MOTORS_ROUTE)
    async def motor_status() -> protocol.MotorStatus:
        return protocol.MotorStatus(mode=robot.world.mode)

    @router.post(f"{protocol.SET_MOTORS_ROUTE}/{{mode}}")
    async def set_motor_mode(mode: protocol.MotorMode) -> dict[str, str]:
        robot.set_mode(mode)
        return {"status": f"motors changed to {mode} mode"}

    return router
