"""Authorization: `Principal` is an identified caller with scopes, `ROUTE_SCOPES` the scope that each route requires.

`Authentication` identifies the caller; `authorize_route`, a dependency of every route, compares. It goes by the matched
route, not by the requested path, so no spelling of a path gets around it. A new route needs a line in `ROUTE_SCOPES`;
a route without one requires `admin`.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Literal

from starlette.exceptions import WebSocketException
from starlette.requests import HTTPConnection

from reachy_mind import log
from reachy_mind.access.tokens import BROWSER_SCOPES
from reachy_mind.errors import MindError

PRINCIPAL = "reachy_mind.principal"
"""Key of the caller in the ASGI scope of a request."""
PUBLIC, AUTHENTICATED = "public", "authenticated"
"""No identification needed; any identified caller."""

ROUTE_SCOPES: dict[str, tuple[str, ...]] = {
    PUBLIC: ("GET /healthz", "GET /login", "GET /ca.pem", "GET /service-worker.js", "POST /api/v1/login"),
    AUTHENTICATED: (
        "GET /",
        "GET /docs",
        "GET /readyz",
        "GET /figure/{edition}/{name}",
        "GET /api/v1/me",
        "POST /api/v1/logout",
        "GET /v1/models",
        "GET /v1/models/{name:path}",
        "POST /api/v1/robot/stop",
        "WS /api/v1/ws/live_feedback",
    ),
    "read": (
        "GET /metrics",
        "GET /api/v1/session",
        "GET /api/v1/session/{session_id}",
        "GET /api/v1/session/{session_id}/history",
        "GET /api/v1/profiles",
        "GET /api/v1/profiles/{name}",
        "GET /api/v1/tools",
        "GET /api/v1/tools/{name}/versions",
        "GET /api/v1/tools/{name}/versions/{number}",
        "GET /api/v1/tools/{name}/versions/{number}/replay",
        "GET /api/v1/tools/{name}/versions/{number}/replay/{case}",
        "GET /api/v1/confirmations",
        "GET /api/v1/confirmations/{confirmation_id}",
        "GET /api/v1/tasks",
        "GET /api/v1/tasks/{task_id}",
        "GET /api/v1/timers",
        "GET /api/v1/announcements",
        "GET /api/v1/memory",
        "GET /api/v1/memory/status",
        "GET /api/v1/memory/{memory_id}",
        "GET /api/v1/people",
        "GET /api/v1/people/{name}",
        "GET /api/v1/robot/state",
        "GET /api/v1/robot/light",
        "GET /api/v1/robot/figure",
        "GET /api/v1/moves",
        "GET /api/v1/demonstrations",
        "GET /api/v1/demonstrations/{demo_id}",
        "GET /api/v1/moves/{name:path}/trajectory",
        "GET /api/v1/doctor",
        "GET /api/v1/vision",
        "GET /api/v1/vision/frame",
        "GET /api/v1/vision/stream",
        "GET /api/v1/vision/seen",
        "GET /api/v1/voice",
        "GET /api/v1/voice/voices",
        "GET /api/v1/mcp/servers",
        "GET /api/v1/models",
        "GET /api/v1/workshop/status",
        "GET /api/v1/workshop/tools",
        "GET /api/v1/feedback",
        "GET /api/v1/lessons",
        "GET /api/v1/training/status",
        "GET /api/v1/training/options",
        "GET /api/v1/training/runs",
        "GET /api/v1/training/runs/{name}",
        "GET /api/v1/developer/repositories",
        "GET /api/v1/developer/repositories/{name}/status",
        "GET /api/v1/developer/repositories/{name}/diff",
        "GET /api/v1/developer/repositories/{name}/log",
        "GET /api/v1/developer/repositories/{name}/pulls",
        "GET /api/v1/developer/repositories/{name}/pulls/{number}/checks",
        "WS /api/v1/ws/events",
        "WS /api/v1/ws/robot",
    ),
    "talk": (
        "POST /api/v1/chat",
        "POST /api/v1/voice/stt",
        "POST /api/v1/voice/sample",
        "POST /api/v1/voice/tts",
        "WS /api/v1/ws/chat",
        "WS /api/v1/ws/voice",
        "POST /v1/chat/completions",
        "POST /v1/audio/speech",
        "POST /v1/audio/transcriptions",
        "POST /v1/embeddings",
        "WS /v1/realtime",
    ),
    "control": (
        "POST /api/v1/tools/execute",
        "DELETE /api/v1/tools/calls/{call_id}",
        "DELETE /api/v1/tasks/{task_id}",
        "POST /api/v1/memory",
        "DELETE /api/v1/memory",
        "DELETE /api/v1/memory/{memory_id}",
        "POST /api/v1/profiles/{name}/activate",
        "POST /api/v1/robot/look",
        "POST /api/v1/robot/goto",
        "POST /api/v1/robot/wake",
        "POST /api/v1/robot/sleep",
        "POST /api/v1/moves/play",
        "POST /api/v1/moves/record",
        "DELETE /api/v1/moves/{name}",
        "WS /api/v1/ws/teleoperate",
        "POST /api/v1/demonstration",
        "POST /api/v1/demonstrations/{demo_id}/replay",
        "POST /api/v1/demonstrations/{demo_id}/trim",
        "DELETE /api/v1/demonstrations/{demo_id}",
        "WS /api/v1/ws/teach",
        "POST /api/v1/vision/capture",
        "POST /api/v1/vision/analyze",
        "POST /api/v1/voice/microphone",
        "POST /api/v1/feedback",
        "POST /api/v1/lessons/{lesson_id}/undo",
        "POST /api/v1/lessons/{lesson_id}/redo",
        "POST /api/v1/training/start",
        "POST /api/v1/training/stop",
        "DELETE /api/v1/training/runs/{name}",
    ),
    "confirm": ("POST /api/v1/confirmations/{confirmation_id}",),
    "admin": (
        "GET /api/v1/audit",
        "GET /api/v1/permissions",
        "PUT /api/v1/permissions",
        "POST /api/v1/permissions/reload",
        "GET /api/v1/settings",
        "PUT /api/v1/settings",
        "POST /api/v1/profiles",
        "PUT /api/v1/profiles/{name}",
        "DELETE /api/v1/profiles/{name}",
        "GET /api/v1/people/{name}/export",
        "DELETE /api/v1/people/{name}",
        "DELETE /api/v1/lessons",
        "POST /api/v1/mcp/reload",
        "POST /api/v1/models/{name}/pull",
        "DELETE /api/v1/models/{name}/pull",
        "GET /api/v1/tokens",
        "DELETE /api/v1/tokens/{which}",
        "DELETE /api/v1/session/{session_id}",
        "POST /api/v1/logins",
        "POST /api/v1/workshop/run",
        "POST /api/v1/workshop/trial",
        "POST /api/v1/tools/generate",
        "POST /api/v1/training/runs/{name}/publish",
        "POST /api/v1/workshop/check",
        "GET /api/v1/tools/{name}/versions/{number}/bundle",
        "POST /api/v1/tools/{name}/approve",
        "POST /api/v1/tools/{name}/reject",
        "POST /api/v1/tools/{name}/rollback",
        "POST /api/v1/tools/{name}/trial",
        "POST /api/v1/tools/{name}/deactivate",
        "POST /api/v1/tools/import",
    ),
}
MAX_ROUTE_NAME = 100
_SCOPES = {route: scope for scope, routes in ROUTE_SCOPES.items() for route in routes}

_log = log.get(__name__)


class Unauthenticated(MindError):
    """The request has no valid token or login."""

    code = "UNAUTHORIZED"


class NotAllowed(MindError):
    """The caller is known but lacks the permission."""

    code = "PERMISSION_DENIED"


@dataclass(frozen=True)
class Principal:
    """The caller: a local program, one of our own commands, a token's program, a logged-in browser, or nobody."""

    kind: Literal["nobody", "local", "owner", "program", "browser"] = "nobody"
    id: str = ""
    name: str = ""
    scopes: frozenset[str] = frozenset()

    def may(self, scope: str) -> bool:
        if scope == PUBLIC:
            return True
        if scope == AUTHENTICATED:
            return self.kind != "nobody"
        return scope in self.scopes or ("admin" in self.scopes and scope in BROWSER_SCOPES)

    @property
    def label(self) -> str:
        """Who it is, for the audit: the name and the id of a token, never its secret. Empty for nobody."""
        kinds = {"program": "token", "browser": "login"}
        return f"{kinds[self.kind]} {self.name} ({self.id})" if self.kind in kinds else self.name


_request: ContextVar[list[Principal] | None] = ContextVar("principal of the request", default=None)


@contextlib.contextmanager
def serving(principal: Principal) -> Iterator[None]:
    """While a request of `principal` is served. Tasks that it started and that outlive it act for themselves."""
    holder = [principal]
    before = _request.set(holder)
    try:
        yield
    finally:
        holder.clear()
        _request.reset(before)


def current_principal() -> Principal:
    """The caller of the request that is being served here; nobody outside of a request."""
    holder = _request.get()
    return holder[0] if holder else Principal()


def attributed(name: str) -> str:
    """The name somebody gives themselves, with the token or login they used, if they used one."""
    principal = current_principal()
    return f"{name}, {principal.label}" if principal.kind in ("program", "browser") else name


def scope_of(method: str, path: str) -> str:
    """The scope that a route requires; `path` is its template, such as `/api/v1/tasks/{task_id}`."""
    return _SCOPES.get(f"{'GET' if method == 'HEAD' else method} {path}", "admin")


def route_name(method: str, path: str) -> str:
    """A route in the form of a tool's name, for the audit: `POST.api.v1.robot.look`."""
    return ".".join((method, *re.findall(r"[\w-]+", path, re.ASCII)))[:MAX_ROUTE_NAME]


def principal_of(scope: Any) -> Principal:
    """The caller of a request or WebSocket, from its ASGI scope."""
    found = scope.get(PRINCIPAL)
    return found if isinstance(found, Principal) else Principal()


def require_scope(scope: Any, needed: str) -> None:
    """Raises NotAllowed, and logs it, when the caller of this ASGI scope does not have the scope `needed`."""
    principal = principal_of(scope)
    if principal.may(needed):
        return
    method = scope.get("method", "WS")
    _log.warning(
        "a caller lacks a scope", caller=principal.name, needed=needed, method=method, path=scope["path"][:120]
    )
    who = f"the token {principal.name}" if principal.kind == "program" else "this login"
    raise NotAllowed(f"{who} lacks the scope {needed}", hint="reachy-mind token new NAME --scope ...")


async def authorize_route(connection: HTTPConnection) -> None:
    """FastAPI dependency: raises NotAllowed, or rejects the WebSocket, when the caller lacks the route's scope."""
    scope = connection.scope
    method = "WS" if scope["type"] == "websocket" else scope["method"]
    needed = scope_of(method, scope["route"].path)
    try:
        require_scope(scope, needed)
    except NotAllowed:
        if method == "WS":
            raise WebSocketException(1008, f"scope {needed} needed") from None  # a 403: it was not accepted yet
        raise
