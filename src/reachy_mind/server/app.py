"""The server: REST and WebSocket, version 1, and the page; on loopback, and on this machine's network if wanted.

A request passes, from the outside in: strict headers, whether it names us and comes from a page of ours, pages of other
sites that are listed, who it is, how often they come, sockets, the server's end, how large it is and how slow, MCP
clients, and then its route, which asks what the visitor may do.
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import AsyncIterator, Iterator
from typing import Any

import uvicorn
from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute, APIWebSocketRoute
from starlette.exceptions import HTTPException

from reachy_mind import __version__, lan, log
from reachy_mind.certificate import Certificate
from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.mind import Mind
from reachy_mind.server import (
    chat,
    figure,
    gate,
    login,
    memory,
    moves,
    owning,
    page,
    profiles,
    readiness,
    remotes,
    robot,
    vision,
    voice,
)
from reachy_mind.server.description import describe
from reachy_mind.server.door import Door
from reachy_mind.server.draining import REASON, Draining
from reachy_mind.server.greeting import Greeting
from reachy_mind.server.limits import BoundedBody, BoundedRate
from reachy_mind.server.metrics import Metrics
from reachy_mind.server.metrics import router as metrics_router
from reachy_mind.server.origins import KnownOrigins, cors
from reachy_mind.server.patience import LARGEST_HEAD, Patience
from reachy_mind.server.reception import Reception
from reachy_mind.server.refusals import Refusals
from reachy_mind.server.sockets import Sockets
from reachy_mind.server.visitors import entitled
from reachy_mind.tokens import Tokens

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
    "HARDWARE_ERROR": 502,
    "MISSING_EXTRA": 503,
    "WORKER_FAILED": 503,
    "CONFIG_INVALID": 422,
    "UNAUTHORIZED": 401,
}

PARTS = (robot, moves, vision, voice, chat, gate, remotes, profiles, memory, owning)

_log = log.get(__name__)


class House:
    """The ASGI app of a running mind, and what whoever serves it needs of it: logins to give out, an end in good order.

    `within`: it is called by the very process it runs in, for its own user, and asks for no token.
    """

    def __init__(self, mind: Mind, *, within: bool = False) -> None:
        self.configuration = mind.configuration
        settings, tokens = self.configuration.settings.server, Tokens(self.configuration.home)
        self.certificate = Certificate(self.configuration.home, [*lan.addresses(), *lan.names(settings.names)])
        self.logins = login.Logins(self.configuration, tokens)
        refusals = Refusals()
        metrics = Metrics(mind, refusals)
        shown = figure.Figure(self.configuration)
        app = FastAPI(
            title="Reachy Mind",
            version=__version__,
            docs_url=None,
            redoc_url=None,
            lifespan=self._lifespan,
            dependencies=[Depends(entitled)],
        )
        _errors(app)
        self._routers = [
            readiness.router(mind, lambda: self._draining.begun),
            metrics_router(metrics),
            login.router(self.configuration, tokens, self.logins, self.certificate.authority_file),
            figure.router(shown),
            *(part.router(mind) for part in PARTS),
            page.router(),
        ]
        for router in self._routers:
            app.include_router(router)
        app.mount("/web", page.Files(page.WEB))
        describe(app)
        door = Door(mind, metrics.counted(app))
        self._draining = Draining(BoundedBody(door))
        self._sockets = metrics.sockets = Sockets(self._draining, tokens, refusals)
        reception = Reception(BoundedRate(self._sockets), self.configuration, tokens, refusals, within=within)
        self._parts = (shown, door, metrics, self._sockets, reception)
        inner: Any = reception
        if settings.cors_origins:
            inner = cors(inner, settings.cors_origins)
        names, origins = settings.names, settings.cors_origins
        self._app = page.SecureHeaders(KnownOrigins(inner, refusals, names=names, origins=origins))

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self._app(scope, receive, send)

    def routes(self) -> set[str]:
        """All that ask who one is, as `GET /path` and `WS /path`."""
        return {
            f"{method} {route.path}"
            for router in self._routers
            for route in router.routes
            if isinstance(route, APIRoute | APIWebSocketRoute)
            for method in ((route.methods or ()) if isinstance(route, APIRoute) else ("WS",))
        }

    @contextlib.asynccontextmanager
    async def _lifespan(self, _: FastAPI) -> AsyncIterator[None]:
        async with contextlib.AsyncExitStack() as stack:
            for part in self._parts:
                await stack.enter_async_context(part)
            yield

    async def drain(self) -> None:
        """Nothing new begins; sockets are closed, and what has begun may end within some seconds."""
        await self._sockets.end(REASON)
        if not await self._draining.drain():
            _log.warning("requests were cut short at the end")


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
        _log.error("a request failed", error=type(error).__name__)  # uvicorn logs where
        what = {"code": "ERROR", "message": f"this failed within: {type(error).__name__}", "hint": "see the log"}
        return JSONResponse({"error": what}, 500)


class Server(uvicorn.Server):
    """uvicorn without signal handlers: the command that runs the mind decides when it ends.

    `far`: a socket for this machine's network, where it speaks TLS.
    """

    def __init__(self, mind: Mind, far: socket.socket | None = None) -> None:
        self.house = House(mind)
        self._greeting = Greeting(far, self.house.certificate.context(), self._protocol) if far is not None else None
        self._network = contextlib.AsyncExitStack()
        super().__init__(
            uvicorn.Config(
                self.house,
                http=Patience,
                h11_max_incomplete_event_size=LARGEST_HEAD,
                log_config=None,
                proxy_headers=False,
                server_header=False,
                timeout_graceful_shutdown=1,
                ws_max_size=1 << 17,
                ws_max_queue=32,
            )
        )

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self._greeting is not None:
            await self._network.enter_async_context(self._greeting)

    def _protocol(self) -> Patience:
        return Patience(self.config, self.server_state, self.lifespan.state)

    async def drain(self) -> None:
        """See `House`; the sooner it is called the better, and it is at the end at the latest."""
        await self.house.drain()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await self.drain()
        await self._network.aclose()
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
