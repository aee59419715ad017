"""What one caller may take: `BoundedBody`, `BoundedRate` and `Pace`. All of it holds from the first request on.

A request for stop is never held back.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections import OrderedDict
from typing import Any

from fastapi.responses import JSONResponse

from reachy_mind.errors import InvalidParameter, TimedOut
from reachy_mind.server.visitors import visitor_of
from reachy_mind.tools.tasks import TooMany

LARGEST_BODY = 1 << 20
OTHER_BODIES = {"/api/v1/voice/stt": 20 << 20, "/api/v1/vision/analyze": 22 << 20, "/api/v1/login": 4 << 10}
"""Ten minutes of sound; a picture of 16 MB in base64; what strangers may send."""
DEEPEST_JSON = 64
_NESTING = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)
"""Texts, which may have brackets in them, and brackets. A text that does not end is one to the end: looking for its end
from each of its quotation marks would take hours."""
LARGE_JSON = 64 << 10
"""More than this is looked at in a thread."""
BODY_S, BYTES_PER_S = 15.0, 64 << 10
"""A body has so long to come, and longer if it is large and comes at this pace."""
REQUESTS_PER_S, REQUESTS_AT_ONCE = 100.0, 400.0
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


class Paces:
    """One for each caller; of the callers that were not heard of for long, none."""

    def __init__(self, per_s: float, at_once: float) -> None:
        self._per_s, self._at_once = per_s, at_once
        self._paces: OrderedDict[str, Pace] = OrderedDict()

    def of(self, caller: str) -> Pace:
        pace = self._paces.pop(caller, None) or Pace(self._per_s, self._at_once)
        self._paces[caller] = pace
        while len(self._paces) > MOST_CALLERS:
            self._paces.popitem(last=False)
        return pace


class BoundedRate:
    """Answers 429 to a caller with too many requests."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self._paces = Paces(REQUESTS_PER_S, REQUESTS_AT_ONCE)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan" or scope["path"] == STOP or self._paces.of(caller(scope)).allows():
            await self._app(scope, receive, send)
            return
        if scope["type"] == "websocket":
            await turned_away("too many requests", receive, send)
            return
        error = TooMany("too many requests", hint=f"at most {REQUESTS_PER_S:g} a second").as_dict()
        await JSONResponse({"error": error}, 429, {"Retry-After": "1", "Connection": "close"})(scope, receive, send)


async def turned_away(reason: str, receive: Any, send: Any) -> None:
    """A socket that is not taken: whoever wants it gets 403."""
    await receive()
    await send({"type": "websocket.close", "code": 1008, "reason": reason[:100]})


def caller(scope: Any) -> str:
    """Who has a limit of their own: a token, a browser; programs of this machine, told apart by what they call
    themselves; strangers by their address."""
    visitor = visitor_of(scope)
    if visitor.id:
        return visitor.id
    address = str(scope["client"][0]) if scope.get("client") else ""
    if visitor.kind == "nobody":
        return address
    headers = dict(scope["headers"])
    called = "our page" if b"sec-fetch-site" in headers else headers.get(b"user-agent", b"").decode("latin-1")[:80]
    return f"{address} {visitor.kind} {called}"


class BoundedBody:
    """Answers 413 to a request that says it is larger than any of ours, and cuts one off that is without saying so; 408
    to one that does not come to its end, 400 to JSON that nests too deeply for those who read it."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        said = headers.get(b"content-length", b"0")
        largest = left = OTHER_BODIES.get(scope["path"], LARGEST_BODY)
        if not said.isdigit() or int(said) > largest:
            await _refuse(_too_large(largest), 413, scope, receive, send)
            return
        begun = time.monotonic()
        whole = late = False

        async def bounded() -> Any:
            nonlocal left, whole, late
            if whole:
                return await receive()  # which waits for the reader to leave
            due = begun + BODY_S + (largest - left) / BYTES_PER_S
            try:
                async with asyncio.timeout(max(0.0, due - time.monotonic())):
                    message = await receive()
            except TimeoutError:
                late = True
                return {"type": "http.disconnect"}
            whole = not message.get("more_body", False)
            left -= len(message.get("body", b""))
            return message if left >= 0 else {"type": "http.disconnect"}

        async def answer(message: Any) -> None:
            if left >= 0 and not late:
                await send(message)

        if b"json" in headers.get(b"content-type", b""):
            await self._shallow(scope, bounded, answer)
        else:
            await self._app(scope, bounded, answer)
        if left < 0:
            await _refuse(_too_large(largest), 413, scope, receive, send)
        elif late:
            error = TimedOut("the request did not come to its end", hint=f"within {BODY_S:g} s, or faster")
            await _refuse(error, 408, scope, receive, send)

    async def _shallow(self, scope: Any, receive: Any, send: Any) -> None:
        """JSON is read whole by all who take it: so it is here, and looked at first."""
        pieces = []
        while True:
            message = await receive()
            pieces.append(message.get("body", b""))
            if not message.get("more_body", False):
                break
        body = b"".join(pieces)
        if (await asyncio.to_thread(_depth, body) if len(body) > LARGE_JSON else _depth(body)) > DEEPEST_JSON:
            error = InvalidParameter("the JSON nests too deeply", hint=f"at most {DEEPEST_JSON} levels")
            await _refuse(error, 400, scope, receive, send)
            return
        first = True

        async def again() -> Any:
            nonlocal first
            if message["type"] == "http.disconnect":
                return message
            if not first:
                return await receive()
            first = False
            return {"type": "http.request", "body": body, "more_body": False}

        await self._app(scope, again, send)


async def _refuse(error: InvalidParameter | TimedOut, status: int, scope: Any, receive: Any, send: Any) -> None:
    answer = JSONResponse({"error": error.as_dict()}, status, {"Connection": "close"})
    await answer(scope, receive, send)


def _depth(text: bytes) -> int:
    """How deeply JSON nests; Python's own reader finds out by running out of stack, and is not well afterwards."""
    if text.count(b"[") + text.count(b"{") <= DEEPEST_JSON:
        return 0
    deepest = depth = 0
    for part in _NESTING.finditer(text):
        depth += {b"[": 1, b"{": 1, b"]": -1, b"}": -1}.get(part[0], 0)
        deepest = max(deepest, depth)
        if deepest > DEEPEST_JSON:
            break
    return deepest


def _too_large(largest: int) -> InvalidParameter:
    return InvalidParameter("the request is too large", hint=f"at most {largest >> 10} KiB")
