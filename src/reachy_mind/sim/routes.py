"""The simulator's REST routes: the vendor's, under `/api`, as its client and ours use them, and our own, `/sim/v1`.

Routes, fields and status codes under `/api` are those of the vendor's daemon 1.13.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, HTTPException, Query, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat

from reachy_mind.body import protocol
from reachy_mind.body.pose import Pose
from reachy_mind.errors import MindError
from reachy_mind.sim.camera import RATE_HZ, Camera, CameraView
from reachy_mind.sim.clock import Clock
from reachy_mind.sim.robot import Move, Refused, Robot


class HeadAngles(BaseModel):
    model_config = ConfigDict(extra="forbid")

    x: FiniteFloat = 0.0
    y: FiniteFloat = 0.0
    z: FiniteFloat = 0.0
    roll: FiniteFloat = 0.0
    pitch: FiniteFloat = 0.0
    yaw: FiniteFloat = 0.0

    def matrix(self) -> list[float]:
        return list(Pose(**self.model_dump()).head_matrix())


class HeadMatrix(BaseModel):
    m: protocol.Head

    def matrix(self) -> list[float]:
        return self.m


AnyHead = HeadMatrix | HeadAngles


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


class LockRequest(BaseModel):
    holder_name: Annotated[str, Field(min_length=1, max_length=64)] | None


class Telemetry(BaseModel):
    enabled: bool


def _head(matrix: tuple[float, ...], as_matrix: bool) -> dict[str, Any]:
    if as_matrix:
        return {"m": list(matrix)}
    pose = Pose.from_head_matrix(matrix)
    return {name: getattr(pose, name) for name in ("x", "y", "z", "roll", "pitch", "yaw")}


def _started(start: Any, *arguments: Any) -> dict[str, UUID]:
    """The vendor answers with the move's id even when it then ignores the move; we say that it was ignored."""
    try:
        move: Move = start(*arguments)
    except Refused as refused:
        raise HTTPException(409, f"{refused.message}. {refused.hint}".strip()) from None
    return {"uuid": move.uuid}


def state_routes(robot: Robot) -> APIRouter:
    router = APIRouter(prefix="/api/state")

    @router.get("/full")
    async def full(
        with_control_mode: bool = True,
        with_head_pose: bool = True,
        with_head_joints: bool = False,
        with_body_yaw: bool = True,
        with_antenna_positions: bool = True,
        use_pose_matrix: bool = False,
    ) -> dict[str, Any]:
        world = robot.world
        state: dict[str, Any] = {}
        if with_control_mode:
            state["control_mode"] = world.mode
        if with_head_pose:
            state["head_pose"] = _head(world.head(), use_pose_matrix)
        if with_head_joints:
            state["head_joints"] = world.joints()
        if with_body_yaw:
            state["body_yaw"] = world.joints()[0]
        if with_antenna_positions:
            state["antennas_position"] = world.antennas()
        return state | {"timestamp": datetime.now(UTC), "doa": None, "imu": None}

    @router.get("/present_head_pose")
    async def present_head_pose(use_pose_matrix: bool = False) -> dict[str, Any]:
        return _head(robot.world.head(), use_pose_matrix)

    @router.get("/present_body_yaw")
    async def present_body_yaw() -> float:
        return robot.world.joints()[0]

    @router.get("/present_antenna_joint_positions")
    async def present_antennas() -> list[float]:
        return robot.world.antennas()

    @router.get("/doa")
    async def sound_direction() -> None:
        return None

    @router.get("/imu")
    async def imu() -> None:
        return None

    return router


def move_routes(robot: Robot) -> APIRouter:
    router = APIRouter(prefix="/api/move")

    @router.get("/running")
    async def running() -> list[dict[str, UUID]]:
        return [{"uuid": robot.move.uuid}] if robot.move else []

    @router.post("/goto")
    async def goto(wish: GotoRequest) -> dict[str, UUID]:
        head = wish.head_pose.matrix() if wish.head_pose else None
        return _started(robot.goto, head, wish.antennas, wish.body_yaw, wish.duration, wish.interpolation)

    @router.post("/play/wake_up")
    async def wake_up() -> dict[str, UUID]:
        return _started(robot.wake_up)

    @router.post("/play/goto_sleep")
    async def goto_sleep() -> dict[str, UUID]:
        return _started(robot.goto_sleep)

    @router.post("/stop")
    async def stop(wish: protocol.MoveId) -> dict[str, str]:
        if not robot.stop(wish.uuid):
            raise HTTPException(404, f"no move {wish.uuid} is running")
        return {"message": f"Stopped move with UUID: {wish.uuid}"}

    @router.post("/set_target")
    async def set_target(wish: TargetRequest) -> dict[str, str]:
        head = wish.target_head_pose.matrix() if wish.target_head_pose else None
        try:
            robot.target(head, wish.target_antennas, wish.target_body_yaw)
        except Refused as refused:
            return {"status": "ignored", "reason": refused.code.lower()}
        return {"status": "ok"}

    return router


def daemon_routes(robot: Robot, status: Any) -> APIRouter:
    router = APIRouter()
    holder: list[str] = []

    @router.get(protocol.STATUS_ROUTE)
    async def daemon_status() -> protocol.DaemonStatus:
        answer: protocol.DaemonStatus = status()
        return answer

    @router.get(protocol.LOCK_ROUTE)
    async def app_lock() -> protocol.AppLock:
        return protocol.AppLock(state="local_app" if holder else "free", holder_name=holder[0] if holder else None)

    @router.put(f"{protocol.SIM_PREFIX}/app-lock")
    async def set_app_lock(wish: LockRequest) -> protocol.AppLock:
        """Pretend that another app has taken the robot (or, with null, given it back)."""
        holder[:] = [wish.holder_name] if wish.holder_name else []
        return await app_lock()

    @router.get("/api/daemon/robot-name")
    async def robot_name() -> dict[str, str]:
        return {"name": status().robot_name}

    @router.get("/api/daemon/hardware-id")
    async def hardware_id() -> dict[str, None]:
        return {"hardware_id": None}

    @router.get(protocol.MOTORS_ROUTE)
    async def motor_status() -> protocol.MotorStatus:
        return protocol.MotorStatus(mode=robot.world.mode)

    @router.post(f"{protocol.SET_MOTORS_ROUTE}/{{mode}}")
    async def set_motor_mode(mode: protocol.MotorMode) -> dict[str, str]:
        robot.set_mode(mode)
        return {"status": f"motors changed to {mode} mode"}

    @router.get("/api/media/status")
    async def media_status() -> dict[str, bool]:
        return {"available": False, "released": True, "no_media": True}

    @router.post("/api/media/release")
    @router.post("/api/media/acquire")
    async def media() -> dict[str, str]:
        return {"status": "ok"}

    @router.post("/api/media/wobbling/enable")
    @router.post("/api/media/wobbling/disable")
    async def wobbling() -> dict[str, str]:
        """As the vendor's daemon without media: accepted, and nothing wobbles."""
        return {"status": "ok"}

    @router.post("/api/media/tracking/enable")
    async def enable_tracking() -> dict[str, Any]:
        return {"status": "unavailable", "enabled": False}

    @router.post("/api/media/tracking/disable")
    async def disable_tracking() -> dict[str, Any]:
        return {"status": "ok", "enabled": False}

    @router.get("/api/telemetry")
    async def telemetry() -> dict[str, bool]:
        return {"enabled": False, "disabled_by_env": True}

    @router.put("/api/telemetry")
    async def set_telemetry(wish: Telemetry) -> dict[str, bool]:
        if wish.enabled:
            raise HTTPException(409, "the simulator has no telemetry to switch on")
        return await telemetry()

    @router.post("/health-check")
    async def health_check() -> dict[str, str]:
        return {"status": "ok"}

    return router


def sim_routes(robot: Robot, camera: Camera, clock: Clock) -> APIRouter:
    router = APIRouter(prefix=protocol.SIM_PREFIX)

    async def picture(view: CameraView) -> bytes:
        try:
            return await camera.frame(view, robot.world.snapshot())
        except MindError as error:
            raise HTTPException(503, error.as_dict()) from error

    @router.get("/camera/frame.jpg", response_class=Response)
    async def frame(view: CameraView = "eye") -> Response:
        """What the robot sees now (`eye`), or how it looks from outside (`studio`), 640x360."""
        return Response(await picture(view), media_type="image/jpeg", headers={"Cache-Control": "no-store"})

    @router.get("/camera/stream", response_class=StreamingResponse)
    async def stream(
        view: CameraView = "eye", fps: Annotated[float, Query(gt=0, le=RATE_HZ)] = RATE_HZ
    ) -> StreamingResponse:
        """The same as a moving picture (multipart JPEG); a browser shows it as an image."""
        first = await picture(view)

        async def frames() -> AsyncIterator[bytes]:
            due, now = time.monotonic(), first
            while True:
                yield b"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n%b\r\n" % (len(now), now)
                due = max(due + 1 / fps, time.monotonic())
                await asyncio.sleep(due - time.monotonic())
                now = await picture(view)

        return StreamingResponse(frames(), media_type="multipart/x-mixed-replace; boundary=frame")

    @router.get("/time")
    async def sim_time() -> dict[str, float]:
        """Simulated and real seconds since the start, and how much real time was given up (suspended machine)."""
        return {"sim_s": robot.world.time, "wall_s": clock.elapsed(), "skipped_s": clock.skipped_s}

    @router.post("/reset")
    async def reset() -> dict[str, str]:
        """Back to the start: asleep, motors off, every object in its place. A running move ends."""
        robot.reset()
        return {"status": "ok"}

    @router.get("/scene")
    async def scene() -> dict[str, Any]:
        """The scene's name and where its objects are, in metres from the robot's foot."""
        return {"scene": robot.world.scene, "objects": robot.world.places()}

    return router
