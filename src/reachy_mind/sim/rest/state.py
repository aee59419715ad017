"""`/api/state`: the robot's state, once or as a stream; `/api/kinematics`: URDF and meshes."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Query, Response, WebSocket, WebSocketDisconnect
from pydantic import TypeAdapter

from reachy_mind.body import protocol
from reachy_mind.sim.daemon_service import TRY_AGAIN_LATER, DaemonService
from reachy_mind.sim.rest import poses
from reachy_mind.sim.robot import SimulatedRobot
from reachy_mind.sim.sound_mixer import SoundMixer

MAX_RATE_HZ = 50.0


@dataclass(frozen=True)
class StateRequest:
    """Which parts of the state to return. The vendor accepts more `with_...` flags without effect."""

    with_control_mode: bool = True
    with_head_pose: bool = True
    with_head_joints: bool = False
    with_body_yaw: bool = True
    with_antenna_positions: bool = True
    with_doa: bool = False
    use_pose_matrix: bool = False


def _full(robot: SimulatedRobot, sound: SoundMixer, wanted: StateRequest) -> dict[str, Any]:
    world = robot.world
    head = poses.head_pose(world.head(), as_matrix=wanted.use_pose_matrix)
    return {
        "control_mode": world.mode if wanted.with_control_mode else None,
        "head_pose": head if wanted.with_head_pose else None,
        "head_joints": world.joints() if wanted.with_head_joints else None,
        "body_yaw": world.joints()[0] if wanted.with_body_yaw else None,
        "antennas_position": world.antennas() if wanted.with_antenna_positions else None,
        "timestamp": datetime.now(UTC),
        "passive_joints": None,
        "doa": sound.hearing.reading if wanted.with_doa else None,
        "imu": None,
    }


def state_routes(robot: SimulatedRobot, sound: SoundMixer, service: DaemonService) -> APIRouter:
    router = APIRouter(prefix="/api/state")
    needs_robot = [Depends(service.require_running)]
    to_json: TypeAdapter[dict[str, Any]] = TypeAdapter(dict[str, Any])

    @router.get("/full", dependencies=needs_robot)
    async def full(wanted: Annotated[StateRequest, Depends()]) -> dict[str, Any]:
        return _full(robot, sound, wanted)

    @router.get("/present_head_pose", dependencies=needs_robot)
    async def present_head_pose(use_pose_matrix: bool = False) -> dict[str, Any]:
        return poses.head_pose(robot.world.head(), as_matrix=use_pose_matrix)

    @router.get("/present_body_yaw", dependencies=needs_robot)
    async def present_body_yaw() -> float:
        return robot.world.joints()[0]

    @router.get("/present_antenna_joint_positions", dependencies=needs_robot)
    async def present_antennas() -> list[float]:
        return robot.world.antennas()

    @router.get("/doa", dependencies=needs_robot)
    async def sound_direction() -> protocol.SoundDirection:
        return sound.hearing.reading

    @router.get("/imu", dependencies=needs_robot)
    async def imu() -> None:
        """Null, as on every robot without an IMU."""
        return

    @router.websocket("/ws/full")
    async def stream(
        socket: WebSocket,
        wanted: Annotated[StateRequest, Depends()],
        frequency: Annotated[float, Query(gt=0, le=MAX_RATE_HZ)] = 10.0,
    ) -> None:
        await socket.accept()
        try:
            while service.state == "running":
                await socket.send_text(to_json.dump_json(_full(robot, sound, wanted)).decode())
                await asyncio.sleep(1 / frequency)
            await socket.close(TRY_AGAIN_LATER, "Backend not running")
        except (WebSocketDisconnect, RuntimeError):
            return

    return router


def kinematics_routes(description: Path) -> APIRouter:
    router = APIRouter(prefix="/api/kinematics")

    @router.get("/info")
    async def info() -> dict[str, dict[str, Any]]:
        return {"info": {"engine": "AnalyticalKinematics", "collision check": False}}

    @router.get("/urdf")
    def urdf() -> dict[str, str]:
        try:
            return {"urdf": (description / "urdf" / "robot.urdf").read_text(encoding="utf-8")}
        except OSError as error:
            raise HTTPException(404, f"the robot description has no URDF: {error.strerror}") from None

    @router.get("/stl/{filename}", response_class=Response)
    def stl(filename: str) -> Response:
        """A mesh of the URDF."""
        shapes = {file.name: file for file in (description / "urdf" / "assets").glob("*.stl")}
        if filename not in shapes:
            raise HTTPException(404, f"STL file not found: {filename}")
        return Response(shapes[filename].read_bytes(), media_type="model/stl")

    return router
