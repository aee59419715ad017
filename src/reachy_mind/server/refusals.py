"""`Refusals`: how strangers are turned away: with an answer, a line in the log, and not too often."""

from __future__ import annotations

from typing import Any

from fastapi.responses import JSONResponse

from reachy_mind import log
from reachy_mind.errors import MindError
from reachy_mind.server.limits import Paces, turned_away
from reachy_mind.tools.tasks import TooMany

STATUS = {"UNAUTHORIZED": 401, "BUSY": 429}
PER_S, AT_ONCE = 0.5, 20.0

_log = log.get(__name__)


class Refusals:
    """One for the server. Whoever goes on knocking gets 429, and no line in the log any more."""

    def __init__(self) -> None:
        self._paces = Paces(PER_S, AT_ONCE)
        self.count = 0

    async def answer(self, error: MindError, scope: Any, receive: Any, send: Any) -> None:
        """Turn a request or a socket away."""
        self.count += 1
        address = scope["client"][0] if scope.get("client") else ""
        if self._paces.of(address).allows():
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
            await turned_away(error.message, receive, send)
            return
        status = STATUS.get(error.code, 403)
        headers = {401: {"WWW-Authenticate": "Bearer"}, 429: {"Retry-After": "60"}}.get(status, {})
        headers |= {"Connection": "close"}  # nobody waits for the rest of what they send
        await JSONResponse({"error": error.as_dict()}, status, headers)(scope, receive, send)
