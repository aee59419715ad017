"""`Door`: the way in for MCP clients, in front of everything else that the server answers.

`/mcp`, `/mcp/robot` and `/mcp/memory` speak streamable HTTP and always want a token (`reachy-mind token new`).
`/mcp/stdio/...` is a socket for `reachy-mind mcp`, which shows the token of `run/mind.json`. The library loads with the
first client.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
from typing import TYPE_CHECKING, Any

from fastapi.responses import JSONResponse
from starlette.websockets import WebSocket, WebSocketDisconnect

from reachy_mind import log, mcp
from reachy_mind.ending import ended
from reachy_mind.errors import MindError
from reachy_mind.mcp import guests
from reachy_mind.mind import Mind
from reachy_mind.server.visitors import NotAllowed, Unknown, Visitor, visitor_of

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from reachy_mind.mcp.questions import Questions, Request
    from reachy_mind.mcp.server import Kind

PATHS: dict[str, Kind] = {"/mcp": "all", "/mcp/robot": "robot", "/mcp/memory": "memory"}
SOCKETS: dict[str, Kind] = {"/mcp/stdio/all": "all", "/mcp/stdio/robot": "robot", "/mcp/stdio/memory": "memory"}
MOST_SESSIONS = 32
GUEST = "reachy_mind.guest"

_log = log.get(__name__)


class Door:
    """Wraps the ASGI app; use as an async context manager."""

    def __init__(self, mind: Mind, app: Any) -> None:
        self._mind, self._app = mind, app
        self._questions: Questions | None = None
        self._opening = asyncio.Lock()
        self._keeping: asyncio.Task[None] | None = None
        self._managers: dict[Kind, StreamableHTTPSessionManager] = {}

    async def __aenter__(self) -> None:
        return None

    async def __aexit__(self, *_: object) -> None:
        if self._keeping is not None:
            await ended(self._keeping)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        path = str(scope.get("path", "")).rstrip("/")
        if scope["type"] == "http" and path in PATHS:
            await self._request(PATHS[path], scope, receive, send)
        elif scope["type"] == "websocket" and path in SOCKETS:
            await self._socket(SOCKETS[path], WebSocket(scope, receive, send))
        else:
            await self._app(scope, receive, send)

    async def _request(self, kind: Kind, scope: Any, receive: Any, send: Any) -> None:
        try:
            guest = _admitted(scope)
            await self._open()
        except MindError as error:
            status = {"UNAUTHORIZED": 401, "PERMISSION_DENIED": 403, "MISSING_EXTRA": 501}.get(error.code, 500)
            headers = {"WWW-Authenticate": "Bearer"} if status == 401 else {}
            await JSONResponse({"error": error.as_dict()}, status, headers)(scope, receive, send)
            return
        from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser  # noqa: PLC0415
        from mcp.server.auth.provider import AccessToken  # noqa: PLC0415

        # The library keeps a session for who opened it.
        user = AuthenticatedUser(AccessToken(token="", client_id=guest.id, scopes=list(guest.scopes)))
        scope = {**scope, "user": user, GUEST: guests.holder(guest.id, guest.name)}
        await self._managers[kind].handle_request(scope, receive, send)

    async def _socket(self, kind: Kind, socket: WebSocket) -> None:
        await socket.receive()
        if visitor_of(socket.scope).kind != "owner":
            await socket.close(1008, "this socket is for reachy-mind mcp")
            return
        try:
            await self._open()
        except MindError as error:
            await socket.close(1011, f"{error.message}: {error.hint}"[:120])
            return
        serving = importlib.import_module("reachy_mind.mcp.server")
        wire = importlib.import_module("reachy_mind.mcp.wire")
        await socket.accept()
        await wire.converse(serving.served(self._mind, kind, _program, self._questions), socket)
        with contextlib.suppress(RuntimeError, WebSocketDisconnect):
            await socket.close()

    async def _open(self) -> None:
        """The servers, once somebody wants them. Raises MissingExtra."""
        async with self._opening:
            if self._keeping is not None:
                return
            mcp.require()
            await asyncio.to_thread(importlib.import_module, "reachy_mind.mcp.server")
            await asyncio.to_thread(importlib.import_module, "reachy_mind.mcp.wire")
            ready = asyncio.Event()
            keeping = asyncio.create_task(self._keep(ready), name="mcp servers")
            waiting = asyncio.create_task(ready.wait())
            await asyncio.wait([keeping, waiting], return_when=asyncio.FIRST_COMPLETED)
            await ended(waiting)
            if keeping.done():
                keeping.result()
            self._keeping = keeping

    async def _keep(self, ready: asyncio.Event) -> None:
        """Sessions belong to this task, which outlives the requests that begin them."""
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager  # noqa: PLC0415

        from reachy_mind.mcp.questions import Questions  # noqa: PLC0415
        from reachy_mind.mcp.server import served  # noqa: PLC0415

        self._questions = Questions(self._mind.configuration.settings.tools.confirm_s)
        async with contextlib.AsyncExitStack() as stack:
            for kind in PATHS.values():
                server = served(self._mind, kind, _token_holder, self._questions)
                manager = self._managers[kind] = StreamableHTTPSessionManager(server, max_sessions=MOST_SESSIONS)
                await stack.enter_async_context(manager.run())
            ready.set()
            await asyncio.Event().wait()


def _admitted(scope: Any) -> Visitor:
    """Raises Unknown for whoever has no token, also on this machine, and NotAllowed for one that is not for this."""
    visitor = visitor_of(scope)
    hint = "reachy-mind token new NAME --scope mcp, then Authorization: Bearer TOKEN"
    if visitor.kind != "program":
        raise Unknown("a token is needed here", hint=hint)
    if not visitor.may("mcp"):
        raise NotAllowed(f"the token {visitor.name} is not good for this: it takes mcp", hint=hint)
    return visitor


def _token_holder(ctx: Request) -> guests.Guest:
    guest = ctx.request.scope[GUEST] if ctx.request is not None else None
    assert isinstance(guest, guests.Guest)
    return guest


def _program(ctx: Request) -> guests.Guest:
    known = ctx.session.client_params
    return guests.program(known.client_info.name if known else "")
