"""The server: REST and WebSocket, version 1, as far as it goes, and the page. Loopback only."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Iterator
from typing import Any

import uvicorn
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from reachy_mind import __version__
from reachy_mind.errors import InvalidParameter, MindError, NotReady
from reachy_mind.loopback import LocalOnly
from reachy_mind.mind import Mind
from reachy_mind.server import chat, figure, gate, memory, moves, owning, page, profiles, remotes, robot, vision, voice
from reachy_mind.server.door import Door
from reachy_mind.server.limits import BoundedBody, BoundedRate

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
    "BAD_ANSWER": 502,
    "MISSING_EXTRA": 503,
    "WORKER_FAILED": 503,
    "CONFIG_INVALID": 422,
}


def build(mind: Mind) -> page.SecureHeaders:
    """The ASGI app of a running mind."""
    shown = figure.Figure(mind.configuration)

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with shown, door:
            yield

    app = FastAPI(title="Reachy Mind", version=__version__, docs_url=None, redoc_url=None, lifespan=lifespan)
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

    app.include_router(figure.router(shown))
    for part in (robot, moves, vision, voice, chat, gate, remotes, profiles, memory, owning):
        app.include_router(part.router(mind))
    app.include_router(page.router())
    app.mount("/web", page.Files(page.WEB))
    door = Door(mind, app)
    return page.SecureHeaders(LocalOnly(BoundedRate(BoundedBody(door)), same_origin=True))


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
