"""A daemon that misbehaves in chosen ways, on the vendor's routes: for what our simulator never does."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from fastapi import FastAPI, WebSocket, WebSocketDisconnect

from reachy_mind.body.address import Address
from reachy_mind.body.pose import AWAKE


@dataclass
class Misbehaviour:
    """How it answers. `frames` are sent instead of the state stream when given; None keeps the line silent."""

    version: str | None = "1.13.0"
    state: str = "running"
    ignores_motor_modes: bool = False
    frames: list[str] | None = field(default_factory=list)
    lock_status: int = 200
    media: dict[str, bool] = field(default_factory=lambda: {"available": True, "released": False, "no_media": False})
    keeps_media: bool = False
    media_calls: list[str] = field(default_factory=list)
    received: list[dict[str, Any]] = field(default_factory=list)


def _app(manner: Misbehaviour) -> FastAPI:
    app = FastAPI()
    mode = ["enabled"]

    @app.get("/api/daemon/status")
    async def status() -> dict[str, Any]:
        return _status(manner, mode[0])

    @app.get("/api/daemon/robot-app-lock-status")
    async def lock() -> Any:
        from fastapi.responses import JSONResponse

        return JSONResponse({"state": "free", "holder_name": None}, manner.lock_status)

    @app.get("/api/motors/status")
    async def motors() -> dict[str, str]:
        return {"mode": mode[0]}

    @app.post("/api/motors/set_mode/{wish}")
    async def set_mode(wish: str) -> dict[str, str]:
        if not manner.ignores_motor_modes:
            mode[0] = wish
        return {"status": f"motors changed to {wish} mode"}

    @app.get("/api/media/status")
    async def media() -> dict[str, bool]:
        return manner.media

    @app.post("/api/media/{wish}")
    async def move_media(wish: str) -> dict[str, str]:
        manner.media_calls.append(wish)
        if wish in ("release", "acquire") and not manner.keeps_media:
            manner.media = {"available": wish == "acquire", "released": wish == "release", "no_media": False}
        return {"status": "ok"}

    @app.get("/api/move/running")
    async def running() -> list[Any]:
        return []

    @app.post("/api/move/goto")
    @app.post("/api/media/wobbling/disable")
    @app.post("/api/media/tracking/disable")
    async def accepted() -> dict[str, str]:
        return {"status": "ok"}

    @app.websocket("/ws/sdk")
    async def sdk(client: WebSocket) -> None:
        await client.accept()
        sender = asyncio.create_task(_send(client, manner, mode))
        with contextlib.suppress(WebSocketDisconnect):
            while True:
                message = json.loads(await client.receive_text())
                manner.received.append(message)
        sender.cancel()

    return app


def _status(manner: Misbehaviour, mode: str) -> dict[str, Any]:
    backend = {"motor_control_mode": mode, "error": None}
    return {
        "type": "daemon_status",
        "robot_name": "fake",
        "state": manner.state,
        "version": manner.version,
        "backend_status": backend,
        "camera_specs_name": "lite",
        "no_media": manner.media["no_media"],
        "media_released": manner.media["released"],
    }


async def _send(client: WebSocket, manner: Misbehaviour, mode: list[str]) -> None:
    rows = [list(AWAKE.head_matrix()[i : i + 4]) for i in range(0, 16, 4)]
    joints = {"type": "joint_positions", "head_joint_positions": [0.0] * 7}
    joints["antennas_joint_positions"] = list(AWAKE.antennas)
    usual = [json.dumps(joints), json.dumps({"type": "head_pose", "head_pose": rows})]
    with contextlib.suppress(RuntimeError, WebSocketDisconnect):
        while manner.frames is not None:
            for frame in [*manner.frames, json.dumps(_status(manner, mode[0])), *usual]:
                await client.send_text(frame)
            await asyncio.sleep(0.02)


@contextlib.asynccontextmanager
async def misbehaving(manner: Misbehaviour) -> AsyncIterator[Address]:
    """Serves for the time of an `async with`, in this process."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(_app(manner), log_config=None, timeout_graceful_shutdown=1))
    server.capture_signals = contextlib.nullcontext  # type: ignore[method-assign,assignment]
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield Address("127.0.0.1", listener.getsockname()[1])
    finally:
        server.should_exit = True
        await task
