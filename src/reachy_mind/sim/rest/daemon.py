"""`/api/daemon`, `/api/telemetry`, `/update`, `/health-check`: routes about the daemon itself."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import APIRouter, HTTPException
from fastapi.responses import HTMLResponse
from pydantic import BaseModel

from reachy_mind.body import protocol
from reachy_mind.sim.daemon_service import DaemonService
from reachy_mind.sim.device import DaemonIdentity, RobotName

IS_SIMULATION = "this is a simulation"
NOTICE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Reachy Mini, simulated</title>
<p>A simulated Reachy Mini. <a href="/docs">What it answers</a>,
<a href="/sim/v1/camera/stream?view=studio">how it looks</a>.</p></html>"""


class NameRequest(BaseModel):
    name: RobotName


class LockRequest(BaseModel):
    holder_name: RobotName | None


class Telemetry(BaseModel):
    enabled: bool


def daemon_routes(
    device: DaemonIdentity, service: DaemonService, status: Callable[[], protocol.DaemonStatus]
) -> APIRouter:
    router = APIRouter()

    @router.get("/", response_class=HTMLResponse)
    async def notice() -> str:
        return NOTICE

    @router.post("/health-check")
    async def health_check() -> dict[str, str]:
        return {"status": "ok"}

    @router.get(protocol.STATUS_ROUTE)
    async def daemon_status() -> protocol.DaemonStatus:
        return status()

    @router.post("/api/daemon/start")
    async def start(wake_up: bool) -> dict[str, str]:
        return {"job_id": service.start(wake_up=wake_up)}

    @router.post("/api/daemon/stop")
    async def stop(goto_sleep: bool) -> dict[str, str]:
        return {"job_id": service.stop(goto_sleep=goto_sleep)}

    @router.post("/api/daemon/restart")
    async def restart() -> dict[str, str]:
        return {"job_id": service.restart()}

    @router.get("/api/daemon/robot-name")
    async def robot_name() -> dict[str, str]:
        return {"name": device.name}

    @router.post("/api/daemon/robot-name")
    async def set_robot_name(body: NameRequest) -> dict[str, str]:
        device.name = body.name
        return {"name": device.name}

    @router.get("/api/daemon/hardware-id")
    async def hardware_id() -> dict[str, None]:
        return {"hardware_id": None}

    @router.get(protocol.LOCK_ROUTE)
    async def app_lock() -> protocol.AppLock:
        return device.lock()

    @router.put(f"{protocol.SIM_PREFIX}/app-lock")
    async def set_app_lock(body: LockRequest) -> protocol.AppLock:
        """Simulate that another app holds the robot; null releases it."""
        device.holder = body.holder_name
        return device.lock()

    @router.get("/api/telemetry")
    async def telemetry() -> dict[str, bool]:
        return {"enabled": False, "disabled_by_env": True}

    @router.put("/api/telemetry")
    async def set_telemetry(body: Telemetry) -> dict[str, bool]:
        if body.enabled:
            raise HTTPException(409, "the simulator has no telemetry to switch on")
        return await telemetry()

    @router.get("/update/available")
    async def update_available() -> dict[str, dict[str, dict[str, bool | str]]]:
        """On the vendor's daemon only a wireless robot has this route."""
        mine: dict[str, bool | str] = {
            "is_available": False,
            "current_version": protocol.VERSION,
            "available_version": IS_SIMULATION,
        }
        return {"update": {"reachy_mini": mine}}

    @router.post("/update/start")
    async def start_update() -> None:
        raise HTTPException(400, f"No update available: {IS_SIMULATION}, updated with the package it came with")

    return router
