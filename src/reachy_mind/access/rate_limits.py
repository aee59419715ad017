"""Rate limits per caller: `RateLimit` is a token bucket, `RateLimitMiddleware` answers 429.

A stop is never limited: neither its route, nor the opening of the socket that takes one.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from typing import Any

from fastapi.responses import JSONResponse

from reachy_mind.access.authorization import principal_of
from reachy_mind.access.error_body import error_body
from reachy_mind.errors import TooMany

REQUESTS_PER_S, REQUEST_BURST = 100.0, 400.0
MAX_CALLERS = 256
STOP_PATH = "/api/v1/robot/stop"
STOP_SOCKET = "/api/v1/ws/live_feedback"
"""The WebSocket whose `stop` frames are served like a request to `STOP_PATH`."""


class RateLimit:
    """A token bucket: `per_s` requests a second, up to `burst` at once after a pause."""

    __slots__ = ("_at", "_burst", "_left", "_per_s")

    def __init__(self, per_s: float, burst: float) -> None:
        self._per_s, self._burst = per_s, burst
        self._left, self._at = burst, time.monotonic()

    def allows(self) -> bool:
        """Whether there is room for one more request now; it is counted."""
        now = time.monotonic()
        self._left = min(self._burst, self._left + (now - self._at) * self._per_s)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class RateLimits:
    """A `RateLimit` for each caller; the least recently seen callers beyond `MAX_CALLERS` are dropped."""

    def __init__(self, per_s: float, burst: float) -> None:
        self._per_s, self._burst = per_s, burst
        self._limits: OrderedDict[str, RateLimit] = OrderedDict()

    def of(self, caller: str) -> RateLimit:
        limit = self._limits.pop(caller, None) or RateLimit(self._per_s, self._burst)
        self._limits[caller] = limit
        while len(self._limits) > MAX_CALLERS:
            self._limits.popitem(last=False)
        return limit


class RateLimitMiddleware:
    """Wraps an ASGI app; answers 429 to a caller with too many requests."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self._limits = RateLimits(REQUESTS_PER_S, REQUEST_BURST)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan" or _takes_stop(scope) or self._limits.of(caller_key(scope)).allows():
            await self._app(scope, receive, send)
            return
        if scope["type"] == "websocket":
            await reject_websocket("too many requests", receive, send)
            return
        error = TooMany("too many requests", hint=f"at most {REQUESTS_PER_S:g} a second")
        body, headers = error_body(error, 429, scope["path"]), {"Retry-After": "1", "Connection": "close"}
        await JSONResponse(body, 429, headers)(scope, receive, send)


def _takes_stop(scope: Any) -> bool:
    return bool(scope["path"] == (STOP_SOCKET if scope["type"] == "websocket" else STOP_PATH))


async def reject_websocket(reason: str, receive: Any, send: Any) -> None:
    """Close a WebSocket before it is accepted: the client gets 403."""
    await receive()
    await send({"type": "websocket.close", "code": 1008, "reason": reason[:100]})


def caller_key(scope: Any) -> str:
    """Who shares a limit: a token or browser by its id, local programs by user agent, unknown callers by address."""
    principal = principal_of(scope)
    if principal.id:
        return principal.id
    address = str(scope["client"][0]) if scope.get("client") else ""
    if principal.kind == "nobody":
        return address
    headers = dict(scope["headers"])
    agent = "our page" if b"sec-fetch-site" in headers else headers.get(b"user-agent", b"").decode("latin-1")[:80]
    return f"{address} {principal.kind} {agent}"
