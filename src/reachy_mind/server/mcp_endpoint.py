"""`McpEndpoint`: ASGI middleware that serves MCP clients and passes everything else on.

`/mcp`, `/mcp/robot` and `/mcp/memory` speak streamable HTTP and always need a token (`reachy-mind token new`).
`/mcp/stdio/...` is a WebSocket for `reachy-mind mcp`, which sends the token in `run/mind.json`. The MCP library is
imported when the first client connects.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
from typing import TYPE_CHECKING, Any

from fastapi.responses import JSONResponse
from starlette.websockets import WebSocket, WebSocketDisconnect

from reachy_mind import log, mcp
from reachy_mind.access.authorization import (
    NotAllowed,
    Principal,
    Unauthenticated,
    principal_of,
    route_name,
)
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import MindError
from reachy_mind.mcp import clients
from reachy_mind.mind import Mind
from reachy_mind.tools.context import Caller

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from reachy_mind.mcp.elicitation import Elicitation, Request
    from reachy_mind.mcp.server import Kind

PATHS: dict[str, Kind] = {"/mcp": "all", "/mcp/robot": "robot", "/mcp/memory": "memory"}
SOCKETS: dict[str, Kind] = {"/mcp/stdio/all": "all", "/mcp/stdio/robot": "robot", "/mcp/stdio/memory": "memory"}
MAX_SESSIONS = 32
MCP_CALLER = "reachy_mind.mcp_caller"
"""Key of the client in the ASGI scope of a request."""

_log = log.get(__name__)


class McpEndpoint:
    """Wraps the ASGI app; use as an async context manager."""

    def __init__(self, mind: Mind, app: Any) -> None:
        self._mind, self._app = mind, app
        self._elicitation: Elicitation | None = None
        self._starting = asyncio.Lock()
        self._session_task: asyncio.Task[None] | None = None
        self._managers: dict[Kind, StreamableHTTPSessionManager] = {}

    async def __aenter__(self) -> None:
        return None

    async def __aexit__(self, *_: object) -> None:
        if self._session_task is not None:
            await cancel_and_wait(self._session_task)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        path = str(scope.get("path", "")).rstrip("/")
        if scope["type"] == "http" and path in PATHS:
            await self._serve_http(PATHS[path], scope, receive, send)
        elif scope["type"] == "websocket" and path in SOCKETS:
            await self._serve_websocket(SOCKETS[path], WebSocket(scope, receive, send))
        else:
            await self._app(scope, receive, send)

    async def _serve_http(self, kind: Kind, scope: Any, receive: Any, send: Any) -> None:
        try:
            principal = _check_token(scope)
            await self._start()
        except MindError as error:
            if isinstance(error, NotAllowed):
                known = principal_of(scope)
                caller = clients.caller_with_token(known.id, known.name, known.scopes).caller
                await self._mind.toolbox.refuse(route_name(scope["method"], scope["path"]), {}, error, caller=caller)
            status = {"UNAUTHORIZED": 401, "PERMISSION_DENIED": 403, "MISSING_EXTRA": 501}.get(error.code, 500)
            headers = {"WWW-Authenticate": "Bearer"} if status == 401 else {}
            await JSONResponse({"error": error.as_dict()}, status, headers)(scope, receive, send)
            return
        from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser  # noqa: PLC0415
        from mcp.server.auth.provider import AccessToken  # noqa: PLC0415

        # The library binds a session to the user who opened it.
        user = AuthenticatedUser(AccessToken(token="", client_id=principal.id, scopes=list(principal.scopes)))
        guest = clients.caller_with_token(principal.id, principal.name, principal.scopes)
        scope = {**scope, "user": user, MCP_CALLER: guest}
        await self._managers[kind].handle_request(scope, receive, send)

    async def _serve_websocket(self, kind: Kind, socket: WebSocket) -> None:
        await socket.receive()
        if principal_of(socket.scope).kind != "owner":
            error = NotAllowed("this socket is for reachy-mind mcp", hint="use /mcp with a token")
            await self._mind.toolbox.refuse(
                route_name("WS", socket.url.path), {}, error, caller=Caller("program", "mcp")
            )
            await socket.close(1008, error.message)
            return
        try:
            await self._start()
        except MindError as error:
            await socket.close(1011, f"{error.message}: {error.hint}"[:120])
            return
        server_module = importlib.import_module("reachy_mind.mcp.server")
        transport = importlib.import_module("reachy_mind.mcp.websocket_transport")
        await socket.accept()
        await transport.serve_websocket(
            server_module.build_server(self._mind.toolbox, kind, _local_program, self._elicitation), socket
        )
        with contextlib.suppress(RuntimeError, WebSocketDisconnect):
            await socket.close()

    async def _start(self) -> None:
        """Start the session managers, once. Raises MissingExtra."""
        async with self._starting:
            if self._session_task is not None:
                return
            mcp.require()
            await asyncio.to_thread(importlib.import_module, "reachy_mind.mcp.server")
            await asyncio.to_thread(importlib.import_module, "reachy_mind.mcp.websocket_transport")
            ready = asyncio.Event()
            session_task = asyncio.create_task(self._run_sessions(ready), name="mcp servers")
            waiting = asyncio.create_task(ready.wait())
            await asyncio.wait([session_task, waiting], return_when=asyncio.FIRST_COMPLETED)
            await cancel_and_wait(waiting)
            if session_task.done():
                session_task.result()
            self._session_task = session_task

    async def _run_sessions(self, ready: asyncio.Event) -> None:
        """Own the sessions: this task outlives the requests that open them."""
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager  # noqa: PLC0415

        from reachy_mind.mcp.elicitation import Elicitation  # noqa: PLC0415
        from reachy_mind.mcp.server import build_server  # noqa: PLC0415

        self._elicitation = Elicitation(self._mind.configuration.settings.tools.confirm_s)
        async with contextlib.AsyncExitStack() as stack:
            for kind in PATHS.values():
                server = build_server(self._mind.toolbox, kind, _token_holder, self._elicitation)
                manager = self._managers[kind] = StreamableHTTPSessionManager(server, max_sessions=MAX_SESSIONS)
                await stack.enter_async_context(manager.run())
            ready.set()
            await asyncio.Event().wait()


def _check_token(scope: Any) -> Principal:
    """Raises Unauthenticated without a token, also on this machine, and NotAllowed for one without the scope mcp."""
    principal = principal_of(scope)
    hint = "reachy-mind token new NAME --scope mcp, then Authorization: Bearer TOKEN"
    if principal.kind != "program":
        raise Unauthenticated("a token is needed here", hint=hint)
    if not principal.may("mcp"):
        raise NotAllowed(f"the token {principal.name} lacks the scope mcp", hint=hint)
    return principal


def _token_holder(ctx: Request) -> clients.McpCaller:
    caller = ctx.request.scope[MCP_CALLER] if ctx.request is not None else None
    assert isinstance(caller, clients.McpCaller)
    return caller


def _local_program(ctx: Request) -> clients.McpCaller:
    params = ctx.session.client_params
    return clients.caller_by_name(params.client_info.name if params else "")
