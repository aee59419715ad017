"""`Rejections`: error responses to unauthenticated or forbidden callers, logged and rate limited by address."""

from __future__ import annotations

from typing import Any

from fastapi.responses import JSONResponse

from reachy_mind import log
from reachy_mind.access.error_body import error_body
from reachy_mind.access.rate_limits import RateLimits, reject_websocket
from reachy_mind.errors import MindError, TooMany

STATUS_CODES = {"UNAUTHORIZED": 401, "BUSY": 429}
REJECTIONS_PER_S, REJECTION_BURST = 0.5, 20.0

_log = log.get(__name__)


class Rejections:
    """One for the server. An address beyond its rate gets 429 and no more log lines."""

    def __init__(self) -> None:
        self._limits = RateLimits(REJECTIONS_PER_S, REJECTION_BURST)
        self.count = 0

    async def reject(self, error: MindError, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request with `error`, or close a WebSocket before it is accepted."""
        self.count += 1
        address = scope["client"][0] if scope.get("client") else ""
        if self._limits.of(address).allows():
            _log.warning(
                "a caller was refused",
                code=error.code,
                reason=error.message,
                method=scope.get("method", "socket"),
                path=scope["path"][:120],
                address=address,
            )
        else:
            error = TooMany("too many refused requests", hint="wait a minute")
        if scope["type"] == "websocket":
            await reject_websocket(error.message, receive, send)
            return
        status = STATUS_CODES.get(error.code, 403)
        headers = {401: {"WWW-Authenticate": "Bearer"}, 429: {"Retry-After": "60"}}.get(status, {})
        headers |= {"Connection": "close"}  # the rest of the request is not read
        await JSONResponse(error_body(error, status, scope["path"]), status, headers)(scope, receive, send)
