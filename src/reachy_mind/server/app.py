"""REST, version 1, as far as it goes: health, the robot and its moves. Loopback only; see `loopback.LocalOnly`."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated, Any

import uvicorn
from fastapi import FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from reachy_mind import __version__
from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.loopback import LocalOnly
from reachy_mind.mind import Goto, Look, Mind, Play, Record
from reachy_mind.motion.repertoire import Kind

STATUS_CODES = {
    "INVALID_PARAMETER": 422,
    "OUT_OF_REACH": 422,
    "MOVE_INVALID": 422,
    "NOT_READY": 503,
    "LINK_LOST": 503,
    "ROBOT_BUSY": 409,
    "TIMEOUT": 504,
}


def build(mind: Mind) -> LocalOnly:
    """The ASGI app of a running mind."""
    app = FastAPI(title="Reachy Mind", version=__version__)

    @app.exception_handler(MindError)
    async def mind_error(_: Request, error: MindError) -> JSONResponse:
        return JSONResponse({"error": error.as_dict()}, STATUS_CODES.get(error.code, 500))

    @app.exception_handler(RequestValidationError)
    async def bad_request(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"][1:])
        wrong = InvalidParameter(f"{place}: {first['msg']}", hint="see /docs for what this route takes")
        return JSONResponse({"error": wrong.as_dict()}, 422)

    @app.exception_handler(HTTPException)
    async def not_found(_: Request, error: HTTPException) -> JSONResponse:
        what = {"code": error.detail.upper().replace(" ", "_"), "message": error.detail, "hint": "see /docs"}
        return JSONResponse({"error": what}, error.status_code, error.headers)

    @app.get("/healthz")
    async def healthz() -> dict[str, str]:
        return {"status": "ok", "version": __version__}

    @app.get("/readyz")
    async def readyz() -> dict[str, str]:
        mind.state()
        return {"status": "ready"}

    @app.get("/api/v1/robot/state")
    async def state() -> dict[str, Any]:
        return mind.state()

    @app.post("/api/v1/robot/look")
    async def look(wish: Look) -> dict[str, Any]:
        return await mind.look(wish)

    @app.post("/api/v1/robot/goto")
    async def goto(wish: Goto) -> dict[str, Any]:
        return await mind.goto(wish)

    for name, act in (("wake", mind.wake), ("sleep", mind.sleep), ("stop", mind.stop)):
        app.add_api_route(f"/api/v1/robot/{name}", act, methods=["POST"], name=name)

    @app.get("/api/v1/moves")
    async def moves(
        kind: Kind | None = None,
        offset: Annotated[int, Query(ge=0)] = 0,
        limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    ) -> dict[str, Any]:
        entries = [entry for entry in await asyncio.to_thread(mind.repertoire.entries) if kind in (None, entry.kind)]
        return {"moves": [asdict(entry) for entry in entries[offset : offset + limit]], "total": len(entries)}

    @app.post("/api/v1/moves/play")
    async def play(wish: Play) -> dict[str, Any]:
        return await mind.play(wish)

    @app.post("/api/v1/moves/record")
    async def record(wish: Record) -> dict[str, Any]:
        return await mind.record(wish)

    return LocalOnly(app)


class Server(uvicorn.Server):
    """uvicorn without signal handlers: the command that runs the mind decides when it ends."""

    def __init__(self, mind: Mind) -> None:
        super().__init__(uvicorn.Config(build(mind), log_config=None, timeout_graceful_shutdown=1))

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
