"""REST and WebSocket, version 1, as far as it goes: chat, tools, the robot and its moves. Loopback only."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated, Any

import uvicorn
from fastapi import APIRouter, FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from reachy_mind import __version__
from reachy_mind.errors import InvalidParameter, MindError, NotReady
from reachy_mind.loopback import LocalOnly
from reachy_mind.mind import Mind
from reachy_mind.motion.repertoire import Kind
from reachy_mind.server import chat, gate
from reachy_mind.tools.context import Caller

STATUS_CODES = {
    "INVALID_PARAMETER": 422,
    "OUT_OF_REACH": 422,
    "MOVE_INVALID": 422,
    "UNKNOWN_TOOL": 404,
    "NOT_FOUND": 404,
    "PERMISSION_DENIED": 403,
    "NOT_CONFIRMED": 403,
    "NOT_READY": 503,
    "LINK_LOST": 503,
    "ROBOT_BUSY": 409,
    "CANCELLED": 409,
    "BUSY": 429,
    "TIMEOUT": 504,
    "CONFIG_INVALID": 422,
}
LARGEST_BODY = 1 << 20


def build(mind: Mind) -> LocalOnly:
    """The ASGI app of a running mind."""
    app = FastAPI(title="Reachy Mind", version=__version__)
    _errors(app)

    @app.get("/healthz")
    async def healthz() -> dict[str, str]:
        return {"status": "ok", "version": __version__}

    @app.get("/readyz")
    async def readyz() -> dict[str, Any]:
        if mind.state not in ("ready", "processing"):
            raise NotReady(f"the mind is in state {mind.state}", hint="try again in a moment")
        if mind.motion is not None:
            mind.robot()
        return {"status": "ready", **mind.described()}

    app.include_router(_body(mind))
    app.include_router(chat.router(mind))
    app.include_router(gate.router(mind))
    return LocalOnly(BoundedBody(app))


def _errors(app: FastAPI) -> None:
    @app.exception_handler(MindError)
    async def mind_error(_: Request, error: MindError) -> JSONResponse:
        return JSONResponse({"error": error.as_dict()}, STATUS_CODES.get(error.code, 500))

    @app.exception_handler(RequestValidationError)
    async def bad_request(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"][1:])
        told = f"{place}: {first['msg']}" if place else first["msg"]
        wrong = InvalidParameter(told, hint="see /docs for what this route takes")
        return JSONResponse({"error": wrong.as_dict()}, 422)

    @app.exception_handler(HTTPException)
    async def not_found(_: Request, error: HTTPException) -> JSONResponse:
        code = "INVALID_PARAMETER" if error.status_code == 400 else error.detail.upper().replace(" ", "_")
        what = {"code": code, "message": error.detail, "hint": "see /docs"}
        return JSONResponse({"error": what}, error.status_code, error.headers)

    @app.exception_handler(Exception)
    async def unforeseen(_: Request, error: Exception) -> JSONResponse:
        what = {"code": "ERROR", "message": f"{type(error).__name__}: {error}"[:500], "hint": "see the log"}
        return JSONResponse({"error": what}, 500)


def _body(mind: Mind) -> APIRouter:
    """The robot and its moves: exact commands, each a call through the gate."""
    routes = APIRouter(prefix="/api/v1")
    caller = Caller("person", "rest")

    @routes.get("/robot/state")
    async def state() -> dict[str, Any]:
        return mind.robot() | {"mind": mind.state}

    @routes.post("/robot/stop")
    async def stop() -> dict[str, Any]:
        return await mind.stop(caller)

    for route, tool in EXACT.items():
        routes.add_api_route(f"/{route}", _command(mind, tool, caller), methods=["POST"], name=route)

    @routes.get("/moves")
    async def moves(
        kind: Kind | None = None,
        offset: Annotated[int, Query(ge=0)] = 0,
        limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    ) -> dict[str, Any]:
        entries = [entry for entry in await asyncio.to_thread(mind.repertoire.entries) if kind in (None, entry.kind)]
        return {"moves": [asdict(entry) for entry in entries[offset : offset + limit]], "total": len(entries)}

    return routes


EXACT = {
    "robot/look": "robot.look",
    "robot/goto": "robot.goto",
    "robot/wake": "robot.wake",
    "robot/sleep": "robot.lie_down",
    "moves/play": "robot.perform",
    "moves/record": "robot.record_move",
}
"""Routes that are one tool each; the body of the request is its arguments."""


def _command(mind: Mind, tool: str, caller: Caller) -> Any:
    async def command(args: dict[str, Any] | None = None) -> dict[str, Any]:
        return await mind.act(tool, args, caller)

    command.__doc__ = mind.toolbox.registry.find(tool)[0].description
    return command


class BoundedBody:
    """Answers 413 to a request that says it is larger than any of ours, and cuts one off that is without saying so."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        said = dict(scope["headers"]).get(b"content-length", b"0")
        if not said.isdigit() or int(said) > LARGEST_BODY:
            await self._refuse(scope, receive, send)
            return
        left = LARGEST_BODY

        async def bounded() -> Any:
            nonlocal left
            message = await receive()
            left -= len(message.get("body", b""))
            return message if left >= 0 else {"type": "http.disconnect"}

        async def answer(message: Any) -> None:
            if left >= 0:
                await send(message)

        await self._app(scope, bounded, answer)
        if left < 0:
            await self._refuse(scope, receive, send)

    async def _refuse(self, scope: Any, receive: Any, send: Any) -> None:
        error = InvalidParameter("the request is too large", hint=f"at most {LARGEST_BODY >> 10} KiB").as_dict()
        await JSONResponse({"error": error}, 413)(scope, receive, send)


class Server(uvicorn.Server):
    """uvicorn without signal handlers: the command that runs the mind decides when it ends."""

    def __init__(self, mind: Mind) -> None:
        super().__init__(
            uvicorn.Config(
                build(mind), log_config=None, timeout_graceful_shutdown=1, ws_max_size=1 << 17, ws_max_queue=32
            )
        )

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
