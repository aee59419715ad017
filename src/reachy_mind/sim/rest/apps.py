"""`/api/apps` and `/api/hf-auth`: apps can't be installed and no account linked here, and every route says so.

The one possible app is the holder set by `PUT /sim/v1/app-lock`. It is listed, and can be stopped.
"""

from __future__ import annotations

import contextlib
from typing import Any, Literal

from fastapi import APIRouter, HTTPException, WebSocket, WebSocketDisconnect
from pydantic import BaseModel

from reachy_mind.sim.daemon_service import DaemonService, Job
from reachy_mind.sim.device import DaemonIdentity

NO_APPS = "this is a simulation: apps can't be installed, updated or removed here"
NO_ACCOUNT = "this is a simulation: it keeps no account and no token"

Source = Literal["hf_space", "dashboard_selection", "local", "installed"]


class AppInfo(BaseModel):
    name: str
    source_kind: Source = "installed"
    description: str = "An app that /sim/v1/app-lock pretends"
    url: str | None = None
    extra: dict[str, Any] = {}


class AppStatus(BaseModel):
    info: AppInfo
    state: Literal["running"] = "running"
    error: str | None = None


class StartupApp(BaseModel):
    startup_app: str | None = None


def app_routes(device: DaemonIdentity, service: DaemonService) -> APIRouter:
    router = APIRouter(prefix="/api/apps")

    def apps() -> list[AppInfo]:
        return [AppInfo(name=device.holder)] if device.holder else []

    @router.get("/list-available")
    async def all_apps() -> list[AppInfo]:
        return apps()

    @router.get("/list-available/{source_kind}")
    async def apps_of(source_kind: Source) -> list[AppInfo]:
        return apps() if source_kind == "installed" else []

    @router.get("/current-app-status")
    async def current_app() -> AppStatus | None:
        return AppStatus(info=apps()[0]) if device.holder else None

    @router.post("/start-app/{app_name}")
    @router.post("/start-app/{app_name}/no-evict")
    async def start_app(app_name: str) -> None:
        if device.holder:
            raise HTTPException(400, "An app is already running")
        raise HTTPException(400, f"App '{app_name}' is not installed: {NO_APPS}")

    @router.post("/stop-current-app")
    async def stop_app() -> None:
        if not device.holder:
            raise HTTPException(400, "No app is currently running")
        device.holder = None

    @router.post("/restart-current-app")
    async def restart_app() -> AppStatus:
        if not device.holder:
            raise HTTPException(400, "No app is currently running")
        return AppStatus(info=apps()[0])

    @router.get("/startup-app")
    async def startup_app() -> StartupApp:
        return StartupApp()

    @router.put("/startup-app")
    async def set_startup_app(body: StartupApp) -> StartupApp:
        if body.startup_app:
            raise HTTPException(400, f"App '{body.startup_app}' is not installed: {NO_APPS}")
        return body

    @router.get("/check-updates")
    async def check_updates() -> dict[str, Any]:
        return {"apps_with_updates": [], "apps_checked": 0, "apps_skipped": len(apps())}

    @router.post("/install")
    @router.post("/install-private-space")
    @router.post("/remove/{app_name}")
    @router.post("/update/{app_name}")
    async def refuse() -> None:
        raise HTTPException(409, NO_APPS)

    @router.get("/job-status/{job_id}")
    async def job_status(job_id: str) -> Job:
        """Includes the jobs of the daemon's start, stop and restart."""
        if job_id not in service.jobs:
            raise HTTPException(404, f"Job ID {job_id} not found")
        return service.jobs[job_id]

    @router.websocket("/ws/apps-manager/{job_id}")
    async def watch_job(socket: WebSocket, job_id: str) -> None:
        await socket.accept()
        with contextlib.suppress(WebSocketDisconnect):
            if job_id in service.jobs:
                await socket.send_text((await service.finished(job_id)).model_dump_json())
            await socket.close()

    return router


def account_routes() -> APIRouter:
    router = APIRouter(prefix="/api/hf-auth")

    @router.get("/status")
    async def status() -> dict[str, Any]:
        return {"is_logged_in": False, "username": None}

    @router.get("/relay-status")
    async def relay_status() -> dict[str, Any]:
        return {"state": "unavailable", "message": NO_ACCOUNT, "is_connected": False}

    @router.get("/central-robot-status")
    async def central_robot_status() -> dict[str, Any]:
        return {"available": False, "robots": [], "reason": "not_authenticated"}

    @router.post("/refresh-relay")
    async def refresh_relay() -> dict[str, Any]:
        return {"status": "skipped", "token_available": False, "reason": "relay_not_running"}

    @router.delete("/token")
    async def delete_token() -> dict[str, str]:
        return {"status": "success"}

    @router.get("/oauth/configured")
    async def oauth_configured() -> dict[str, bool]:
        return {"configured": False}

    @router.post("/save-token")
    @router.get("/oauth/start")
    @router.get("/oauth/begin")
    @router.post("/oauth/device/start")
    @router.get("/oauth/callback")
    async def refuse() -> None:
        raise HTTPException(409, NO_ACCOUNT)

    @router.get("/oauth/status/{session_id}")
    @router.delete("/oauth/session/{session_id}")
    @router.get("/oauth/device/status/{session_id}")
    @router.delete("/oauth/device/session/{session_id}")
    async def no_session(session_id: str) -> None:
        raise HTTPException(404, f"no sign-in {session_id!r}: {NO_ACCOUNT}")

    return router
