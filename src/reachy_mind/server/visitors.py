"""`Visitor`: who calls, and what they may do; `NEEDED`: what each route asks of them. A new route needs a line there.

`reception` finds out who it is; `entitled`, a dependency of every route, compares. It goes by the route that was found,
not by the address that was asked for: there is no way to write an address that passes by it. A route without a line
is for admins.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from starlette.exceptions import WebSocketException
from starlette.requests import HTTPConnection

from reachy_mind import log
from reachy_mind.errors import MindError
from reachy_mind.tokens import PERSON

VISITOR = "reachy_mind.visitor"
"""Where a request's visitor is, in its ASGI scope."""
OPEN, ANYONE = "open", "anyone"
"""For strangers too; for everybody who was let in."""

NEEDED: dict[str, tuple[str, ...]] = {
    OPEN: ("GET /healthz", "GET /login", "GET /ca.pem", "GET /service-worker.js", "POST /api/v1/login"),
    ANYONE: (
        "GET /",
        "GET /docs",
        "GET /readyz",
        "GET /figure/{edition}/{name}",
        "GET /api/v1/me",
        "POST /api/v1/logout",
        "POST /api/v1/robot/stop",
    ),
    "read": (
        "GET /metrics",
        "GET /api/v1/session",
        "GET /api/v1/session/{session_id}",
        "GET /api/v1/session/{session_id}/history",
        "GET /api/v1/profiles",
        "GET /api/v1/profiles/{name}",
        "GET /api/v1/tools",
        "GET /api/v1/confirmations",
        "GET /api/v1/confirmations/{confirmation_id}",
        "GET /api/v1/tasks",
        "GET /api/v1/tasks/{task_id}",
        "GET /api/v1/memory",
        "GET /api/v1/memory/status",
        "GET /api/v1/memory/{memory_id}",
        "GET /api/v1/people",
        "GET /api/v1/people/{name}",
        "GET /api/v1/robot/state",
        "GET /api/v1/robot/figure",
        "GET /api/v1/moves",
        "GET /api/v1/moves/{name:path}/trajectory",
        "GET /api/v1/doctor",
        "GET /api/v1/vision",
        "GET /api/v1/vision/frame",
        "GET /api/v1/vision/stream",
        "GET /api/v1/vision/seen",
        "GET /api/v1/voice",
        "GET /api/v1/mcp/servers",
        "WS /api/v1/ws/events",
        "WS /api/v1/ws/robot",
    ),
    "talk": (
        "POST /api/v1/chat",
        "POST /api/v1/voice/stt",
        "POST /api/v1/voice/tts",
        "WS /api/v1/ws/chat",
        "WS /api/v1/ws/voice",
    ),
    "control": (
        "POST /api/v1/tools/execute",
        "DELETE /api/v1/tools/calls/{call_id}",
        "DELETE /api/v1/tasks/{task_id}",
        "DELETE /api/v1/session/{session_id}",
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
        "POST /api/v1/vision/capture",
        "POST /api/v1/vision/analyze",
        "POST /api/v1/voice/microphone",
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
        "POST /api/v1/mcp/reload",
        "GET /api/v1/tokens",
        "DELETE /api/v1/tokens/{which}",
        "POST /api/v1/logins",
    ),
}
ADMIN_TOOLS = frozenset(
    {
        "mind.save_personality",
        "mind.remove_personality",
        "mind.set_permission",
        "mind.change_setting",
        "memory.erase_person",
    }
)
"""What stands behind routes for admins takes an admin by `POST /tools/execute` too. A new one needs a line here."""
_SCOPES = {route: scope for scope, routes in NEEDED.items() for route in routes}


_log = log.get(__name__)


class Unknown(MindError):
    """Nobody we know: there is no token or login, or none that counts."""

    code = "UNAUTHORIZED"


class NotAllowed(MindError):
    """We know them, and they may not."""

    code = "PERMISSION_DENIED"


@dataclass(frozen=True)
class Visitor:
    """Who calls: a program of this machine, the mind's own commands, a token, a browser that logged in, or nobody."""

    kind: Literal["nobody", "local", "owner", "program", "browser"] = "nobody"
    id: str = ""
    name: str = ""
    scopes: frozenset[str] = frozenset()

    def may(self, scope: str) -> bool:
        if scope == OPEN:
            return True
        if scope == ANYONE:
            return self.kind != "nobody"
        return scope in self.scopes or ("admin" in self.scopes and scope in PERSON)


def scope_of(method: str, path: str) -> str:
    """What a route, by the template of its path, asks of its visitors."""
    return _SCOPES.get(f"{'GET' if method == 'HEAD' else method} {path}", "admin")


def visitor_of(scope: Any) -> Visitor:
    """Of a request or a socket, by its ASGI scope."""
    found = scope.get(VISITOR)
    return found if isinstance(found, Visitor) else Visitor()


def demand(scope: Any, needed: str) -> None:
    """Raises NotAllowed, and notes it, when the visitor of a request, by its ASGI scope, may not do what takes that."""
    visitor = visitor_of(scope)
    if visitor.may(needed):
        return
    method = scope.get("method", "WS")
    _log.warning("a visitor may not", visitor=visitor.name, needed=needed, method=method, path=scope["path"][:120])
    who = f"the token {visitor.name}" if visitor.kind == "program" else "this login"
    raise NotAllowed(f"{who} is not good for this: it takes {needed}", hint="reachy-mind token new NAME --scope ...")


async def entitled(connection: HTTPConnection) -> None:
    """Raises NotAllowed, or what closes a socket, when the visitor may not use the route that was found."""
    scope = connection.scope
    method = "WS" if scope["type"] == "websocket" else scope["method"]
    needed = scope_of(method, scope["route"].path)
    try:
        demand(scope, needed)
    except NotAllowed:
        if method == "WS":
            raise WebSocketException(1008, f"it takes {needed}") from None  # which is a 403: it was not opened yet
        raise
