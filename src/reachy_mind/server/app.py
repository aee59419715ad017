"""`AsgiApp` and `Server`: the API (REST and WebSocket, version 1), the page and MCP, on loopback and optionally on the
local network.

A request passes this middleware, from the outside in: access log, security headers, Host and Origin check, CORS,
authentication, rate limit, WebSocket limit, graceful shutdown, body limits, the MCP endpoint, metrics. Its route checks
the scope.
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any

import uvicorn
from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute, APIWebSocketRoute
from starlette.exceptions import HTTPException, WebSocketException
from starlette.requests import HTTPConnection

from reachy_mind import __version__, log
from reachy_mind.access import lan
from reachy_mind.access.access_log import AccessLog, note_scope
from reachy_mind.access.authentication import SAFE_METHODS, Authentication
from reachy_mind.access.authorization import NotAllowed, authorize_route, route_name
from reachy_mind.access.body_limits import BodyLimitMiddleware
from reachy_mind.access.certificate import Certificate
from reachy_mind.access.connections import OpenConnections
from reachy_mind.access.error_body import error_body, is_compatible
from reachy_mind.access.graceful_shutdown import REASON, GracefulShutdown
from reachy_mind.access.origins import OriginMiddleware, cors
from reachy_mind.access.rate_limits import RateLimitMiddleware
from reachy_mind.access.rejections import Rejections
from reachy_mind.access.timeouts import MAX_HEADER_BYTES, HttpProtocol
from reachy_mind.access.tls_handshake import TlsListener
from reachy_mind.access.tokens import Tokens
from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.mind import Mind
from reachy_mind.server import (
    chat,
    demonstrations,
    developer,
    event_stream,
    feedback,
    health,
    live_feedback,
    login,
    mcp_servers,
    memory,
    models,
    moves,
    page,
    profiles,
    robot,
    robot_model,
    settings,
    teleoperation,
    timers,
    tool_versions,
    tools,
    training,
    vision,
    voice,
    workshop,
)
from reachy_mind.server.mcp_endpoint import McpEndpoint
from reachy_mind.server.metrics import Metrics
from reachy_mind.server.metrics import router as metrics_router
from reachy_mind.server.openai_api import audio, catalogue, chat_completions, embeddings
from reachy_mind.server.openapi import complete_openapi
from reachy_mind.server.realtime import socket as realtime_socket
from reachy_mind.server.responsiveness import responsive
from reachy_mind.tools.context import Caller
from reachy_mind.tools.definition import ToolError

STATUS_CODES = {
    "INVALID_PARAMETER": 422,
    "OUT_OF_REACH": 422,
    "MOVE_INVALID": 422,
    "DATASET_INVALID": 422,
    "UNKNOWN_TOOL": 404,
    "UNKNOWN_REPOSITORY": 404,
    "UNSAFE_REPOSITORY": 409,
    "GIT_FAILED": 409,
    "PATH_REFUSED": 422,
    "NOT_FOUND": 404,
    "PERMISSION_DENIED": 403,
    "NOT_CONFIRMED": 403,
    "NOT_READY": 503,
    "LINK_LOST": 503,
    "ROBOT_BUSY": 409,
    "NOT_APPROVED": 409,
    "NOT_TESTED": 409,
    "TAMPERED": 409,
    "ALREADY_TRAINING": 409,
    "INVALID_BUNDLE": 422,
    "CREATION_FAILED": 422,
    "REQUEST_REFUSED": 403,
    "SHELF_ERROR": 503,
    "SANDBOX_FAILED": 503,
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

RESOURCES = (
    *(robot, moves, teleoperation, vision, voice, chat, tools, event_stream),
    *(timers, mcp_servers, profiles, memory, models, settings, workshop, tool_versions),
    *(feedback, live_feedback, demonstrations, training, developer),
    *(catalogue, chat_completions, audio, embeddings, realtime_socket),
)

_log = log.get(__name__)


class AsgiApp:
    """The ASGI app of a running mind, with its logins, its TLS certificate, and `drain` for a graceful shutdown.

    `in_process`: the app is called by its own process, so `server.require_token` does not apply.
    """

    def __init__(self, mind: Mind, *, in_process: bool = False) -> None:
        self.configuration = mind.configuration
        self._mind = mind
        settings, tokens = self.configuration.settings.server, Tokens(self.configuration.home)
        self.certificate = Certificate(self.configuration.home, [*lan.addresses(), *lan.names(settings.names)])
        self.logins = login.Logins(self.configuration, tokens)
        rejections = Rejections()
        metrics = Metrics(mind, rejections)
        model_files = robot_model.RobotModelFiles(self.configuration)
        app = FastAPI(
            title="Reachy Mind",
            version=__version__,
            docs_url=None,
            redoc_url=None,
            lifespan=self._lifespan,
            dependencies=[Depends(self._authorize)],
        )
        _add_error_handlers(app)
        self._routers = [
            health.router(mind, lambda: self._shutdown.draining),
            metrics_router(metrics),
            login.router(self.configuration, tokens, self.logins, self.certificate.authority_file),
            robot_model.router(model_files),
            *(part.router(mind) for part in RESOURCES),
            page.router(),
        ]
        for router in self._routers:
            app.include_router(router)
        app.mount("/web", page.CachedFiles(page.WEB))
        complete_openapi(app)
        mcp_endpoint = McpEndpoint(mind, metrics.middleware(app))
        self._shutdown = GracefulShutdown(BodyLimitMiddleware(mcp_endpoint))
        self._connections = metrics.connections = OpenConnections(note_scope(self._shutdown), tokens, rejections)
        limited = RateLimitMiddleware(self._connections)
        authentication = Authentication(limited, self.configuration, tokens, rejections, in_process=in_process)
        self._parts = (model_files, mcp_endpoint, metrics, self._connections, authentication)
        inner: Any = authentication
        if settings.cors_origins:
            inner = cors(inner, settings.cors_origins)
        names, origins = settings.names, settings.cors_origins
        self._app = AccessLog(page.SecureHeaders(OriginMiddleware(inner, rejections, names=names, origins=origins)))

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self._app(scope, receive, send)

    def routes(self) -> set[str]:
        """All routes that check a scope, as `GET /path` and `WS /path`."""
        return {
            f"{method} {route.path}"
            for router in self._routers
            for route in router.routes
            if isinstance(route, APIRoute | APIWebSocketRoute)
            for method in ((route.methods or ()) if isinstance(route, APIRoute) else ("WS",))
        }

    async def _authorize(self, connection: HTTPConnection) -> None:
        """Check the scope of a caller. What would have acted and was refused is in the audit."""
        try:
            await authorize_route(connection)
        except (NotAllowed, WebSocketException) as error:
            method = connection.scope.get("method", "WS")
            if method not in SAFE_METHODS:
                route = route_name(method, connection.scope["route"].path)
                denied = error if isinstance(error, NotAllowed) else NotAllowed(error.reason)
                await self._mind.toolbox.refuse(route, {}, denied, caller=Caller("person", "rest"))
            raise

    @contextlib.asynccontextmanager
    async def _lifespan(self, _: FastAPI) -> AsyncIterator[None]:
        async with contextlib.AsyncExitStack() as stack:
            for part in self._parts:
                await stack.enter_async_context(part)
            yield

    async def drain(self) -> None:
        """Reject new requests, close WebSockets, and give running requests some seconds to finish."""
        await self._connections.close_all(REASON)
        if not await self._shutdown.drain():
            _log.warning("some requests did not finish before the shutdown")


def _add_error_handlers(app: FastAPI) -> None:
    @app.exception_handler(MindError)
    async def mind_error(request: Request, error: MindError) -> JSONResponse:
        return _error_response(request, error, STATUS_CODES.get(error.code, 500))

    @app.exception_handler(RequestValidationError)
    async def bad_request(request: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"][1:])
        message = f"{place}: {first['msg']}" if place else first["msg"]
        invalid = InvalidParameter(message, hint="see /docs for what this route takes")
        return _error_response(request, invalid, 422)

    @app.exception_handler(HTTPException)
    async def http_error(request: Request, error: HTTPException) -> JSONResponse:
        code = "INVALID_PARAMETER" if error.status_code == 400 else error.detail.upper().replace(" ", "_")
        hint = (
            "docs/other-programs.md has what is here of the OpenAI API"
            if is_compatible(request.url.path)
            else "see /docs"
        )
        found = ToolError(code, error.detail, hint=hint)
        return _error_response(request, found, error.status_code, error.headers)

    @app.exception_handler(Exception)
    async def unexpected_error(request: Request, error: Exception) -> JSONResponse:
        _log.error("a request failed", error=type(error).__name__)  # uvicorn logs the traceback
        return _error_response(request, MindError(f"internal error: {type(error).__name__}", hint="see the log"), 500)


def _error_response(
    request: Request, error: MindError, status: int, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    path = request.url.path
    if status == 422 and is_compatible(path):
        status = 400  # as at OpenAI
    return JSONResponse(error_body(error, status, path), status, headers)


class Server(uvicorn.Server):
    """uvicorn without signal handlers: the command that runs the mind decides when to shut down.

    `network`: a listening socket for the local network, which is served over TLS.
    """

    def __init__(self, mind: Mind, network: socket.socket | None = None) -> None:
        self.app = AsgiApp(mind)
        self._tls_listener = (
            TlsListener(network, self.app.certificate.context(), self._protocol) if network is not None else None
        )
        self._open = contextlib.AsyncExitStack()
        super().__init__(
            uvicorn.Config(
                self.app,
                http=HttpProtocol,
                h11_max_incomplete_event_size=MAX_HEADER_BYTES,
                log_config=None,
                proxy_headers=False,
                server_header=False,
                timeout_graceful_shutdown=1,
                ws_max_size=1 << 17,
                ws_max_queue=32,
                ws_per_message_deflate=False,  # compressing each event for each viewer takes longer than sending it
            )
        )

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self._open.enter_context(responsive())
        await super().startup(sockets)
        if self._tls_listener is not None:
            await self._open.enter_async_context(self._tls_listener)

    def _protocol(self) -> HttpProtocol:
        return HttpProtocol(self.config, self.server_state, self.lifespan.state)

    async def drain(self) -> None:
        """See `AsgiApp.drain`. Call it early in a shutdown; `shutdown` calls it at the latest."""
        await self.app.drain()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await self.drain()
        await self._open.aclose()
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
