"""`AccessLog`: ASGI middleware that logs each request: method, route, status, milliseconds and caller; never content.

The route is the template (`/api/v1/session/{session_id}`), so that no id and no query is logged. A WebSocket is logged
when it ends.
"""

from __future__ import annotations

import logging
import time
from typing import Any

from reachy_mind import log
from reachy_mind.access.authorization import principal_of

_log = log.get(log.ACCESS)
_INNER = "reachy_mind.inner_scopes"
_CALLER = "reachy_mind.caller"
_METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))


def note_scope(app: Any) -> Any:
    """Wraps the innermost app: caller and route are known only in its ASGI scope, a copy of the one outside."""

    async def wrapped(scope: Any, receive: Any, send: Any) -> None:
        if _INNER in scope:
            scope[_INNER].append(scope)
        await app(scope, receive, send)

    return wrapped


def note_caller(scope: Any, name: str, client: str) -> None:
    """Who called, for an app with an authentication of its own: a name, and the id of a key or device."""
    scope[_CALLER] = (name, client)


def _enabled() -> bool:
    return logging.getLogger(log.ACCESS).isEnabledFor(logging.INFO)


class AccessLog:
    """Wraps the whole app: requests that other middleware rejects are logged too."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] not in ("http", "websocket") or not _enabled():
            await self._app(scope, receive, send)
            return
        began, status = time.monotonic(), 500
        inner_scopes: list[Any] = []
        scope = scope | {_INNER: inner_scopes}

        async def watch_status(message: Any) -> None:
            nonlocal status
            match message["type"]:
                case "http.response.start" | "websocket.http.response.start":
                    status = message["status"]
                case "websocket.accept":
                    status = 101
                case "websocket.close" if status == 500:
                    status = 403
            await send(message)

        try:
            await self._app(scope, receive, watch_status)
        finally:
            method = scope["method"] if scope["type"] == "http" else "WS"
            inner = inner_scopes[-1] if inner_scopes else scope
            route = getattr(inner.get("route"), "path", "other")
            principal = principal_of(inner)
            caller, client = inner.get(_CALLER) or (principal.name or principal.kind, principal.id)
            _log.info(
                "request",
                method=method if method in _METHODS or method == "WS" else "other",
                route=route,
                status=status,
                ms=round((time.monotonic() - began) * 1000, 1),
                caller=caller,
                **({"client": client} if client else {}),
                address=(scope.get("client") or ("",))[0],
            )
