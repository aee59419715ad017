"""What one caller may take: `BoundedBody`, `BoundedRate` and `Pace`. All of it holds from the first request on.

A request for stop is never held back.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from typing import Any

from fastapi.responses import JSONResponse

from reachy_mind.errors import InvalidParameter
from reachy_mind.tools.tasks import TooMany

LARGEST_BODY = 1 << 20
LARGER_BODIES = {"/api/v1/voice/stt": 20 << 20, "/api/v1/vision/analyze": 22 << 20}
"""Ten minutes of sound; a picture of 16 MB in base64."""
REQUESTS_PER_S, REQUESTS_AT_ONCE = 100.0, 400.0
MOST_SOCKETS = 48
MOST_CALLERS = 256
STOP = "/api/v1/robot/stop"


class Pace:
    """So many a second, and so many at once after a pause."""

    def __init__(self, per_s: float, at_once: float) -> None:
        self._per_s, self._at_once = per_s, at_once
        self._left, self._at = at_once, time.monotonic()

    def allows(self) -> bool:
        now = time.monotonic()
        self._left = min(self._at_once, self._left + (now - self._at) * self._per_s)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class BoundedRate:
    """Answers 429 to a caller with too many requests, and refuses sockets when too many are open."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self._paces: OrderedDict[str, Pace] = OrderedDict()
        self._sockets = 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "websocket":
            await self._socket(scope, receive, send)
        elif scope["type"] == "http" and scope["path"] != STOP and not self._pace(scope).allows():
            error = TooMany("too many requests", hint=f"at most {REQUESTS_PER_S:g} a second").as_dict()
            await JSONResponse({"error": error}, 429, {"Retry-After": "1"})(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _pace(self, scope: Any) -> Pace:
        caller = scope["client"][0] if scope.get("client") else ""
        pace = self._paces.pop(caller, None) or Pace(REQUESTS_PER_S, REQUESTS_AT_ONCE)
        self._paces[caller] = pace
        while len(self._paces) > MOST_CALLERS:
            self._paces.popitem(last=False)
        return pace

    async def _socket(self, scope: Any, receive: Any, send: Any) -> None:
        if self._sockets >= MOST_SOCKETS or not self._pace(scope).allows():
            await receive()
            await send({"type": "websocket.close", "code": 1013, "reason": "too many sockets: try again later"})
            return
        self._sockets += 1
        try:
            await self._app(scope, receive, send)
        except asyncio.CancelledError:
            pass  # only the server's end does this, to a reader that has not said goodbye in time: nothing is wrong
        finally:
            self._sockets -= 1


class BoundedBody:
    """Answers 413 to a request that says it is larger than any of ours, and cuts one off that is without saying so."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        said = dict(scope["headers"]).get(b"content-length", b"0")
        largest = left = LARGER_BODIES.get(scope["path"], LARGEST_BODY)
        if not said.isdigit() or int(said) > largest:
            await self._refuse(largest, scope, receive, send)
            return

        async def bounded() -> Any:
            nonlocal left
            message = await receive()
            left -= len(message.get("body", b""))
            return message if left >= 0 else {"type": "http.disconnect"}

        async def answer(message: Any) -> None:
            if left >= 0:
                await send(message)

        await self._app(scope, bounded, answer)
        if left < 0:
            await self._refuse(largest, scope, receive, send)

    async def _refuse(self, largest: int, scope: Any, receive: Any, send: Any) -> None:
        error = InvalidParameter("the request is too large", hint=f"at most {largest >> 10} KiB").as_dict()
        await JSONResponse({"error": error}, 413)(scope, receive, send)
