"""`BodyLimitMiddleware`: limits on request bodies: size (413), time to arrive (408) and JSON nesting depth (400)."""

from __future__ import annotations

import asyncio
import re
import time
from typing import Any

from fastapi.responses import JSONResponse

from reachy_mind.access.error_body import error_body
from reachy_mind.errors import InvalidParameter, TimedOut

MAX_BODY_BYTES = 1 << 20
MAX_BODY_BYTES_BY_PATH = {
    "/api/v1/voice/stt": 20 << 20,  # ten minutes of sound
    "/api/v1/vision/analyze": 22 << 20,  # a picture of 16 MB in base64
    "/api/v1/tools/import": 3 << 20,  # a bundle of 1 MB, as a JSON string
    "/v1/chat/completions": 4 << 20,
    "/v1/audio/transcriptions": 25 << 20,  # as at OpenAI
    "/api/v1/login": 4 << 10,  # open to unknown callers
}
MAX_JSON_DEPTH = 64
_NESTING = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)
"""Strings, which may contain brackets, and brackets. An unterminated string extends to the end of the body: searching
for its end from each quotation mark would take hours."""
THREAD_JSON_BYTES = 64 << 10
"""The depth of a larger body is measured in a thread."""
BODY_TIMEOUT_S, MIN_BYTES_PER_S = 15.0, 64 << 10
"""The time for a body to arrive; a large one gets more, as long as it keeps up this rate."""


class BodyLimitMiddleware:
    """Wraps an ASGI app. Checks the declared length first, then counts the bytes as they arrive."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        declared = headers.get(b"content-length", b"0")
        limit = left = MAX_BODY_BYTES_BY_PATH.get(scope["path"], MAX_BODY_BYTES)
        if not declared.isdigit() or int(declared) > limit:
            await _reject(_too_large(limit), 413, scope, receive, send)
            return
        started = time.monotonic()
        complete = timed_out = False

        async def limited_receive() -> Any:
            nonlocal left, complete, timed_out
            if complete:
                return await receive()  # which waits for the client to disconnect
            deadline = started + BODY_TIMEOUT_S + (limit - left) / MIN_BYTES_PER_S
            try:
                async with asyncio.timeout(max(0.0, deadline - time.monotonic())):
                    message = await receive()
            except TimeoutError:
                timed_out = True
                return {"type": "http.disconnect"}
            complete = not message.get("more_body", False)
            left -= len(message.get("body", b""))
            return message if left >= 0 else {"type": "http.disconnect"}

        async def limited_send(message: Any) -> None:
            if left >= 0 and not timed_out:
                await send(message)

        if b"json" in headers.get(b"content-type", b""):
            await self._check_depth(scope, limited_receive, limited_send)
        else:
            await self._app(scope, limited_receive, limited_send)
        if left < 0:
            await _reject(_too_large(limit), 413, scope, receive, send)
        elif timed_out:
            error = TimedOut("the request did not arrive in time", hint=f"within {BODY_TIMEOUT_S:g} s, or faster")
            await _reject(error, 408, scope, receive, send)

    async def _check_depth(self, scope: Any, receive: Any, send: Any) -> None:
        """Buffers the body, as every route that takes JSON does, and checks its depth before the app reads it."""
        chunks = []
        while True:
            message = await receive()
            chunks.append(message.get("body", b""))
            if not message.get("more_body", False):
                break
        body = b"".join(chunks)
        depth = await asyncio.to_thread(json_depth, body) if len(body) > THREAD_JSON_BYTES else json_depth(body)
        if depth > MAX_JSON_DEPTH:
            error = InvalidParameter("the JSON nests too deeply", hint=f"at most {MAX_JSON_DEPTH} levels")
            await _reject(error, 400, scope, receive, send)
            return
        first = True

        async def replay() -> Any:
            nonlocal first
            if message["type"] == "http.disconnect":
                return message
            if not first:
                return await receive()
            first = False
            return {"type": "http.request", "body": body, "more_body": False}

        await self._app(scope, replay, send)


def json_depth(text: bytes) -> int:
    """How deeply JSON nests, counted up to just over the limit. Python's parser would overflow its stack instead."""
    if text.count(b"[") + text.count(b"{") <= MAX_JSON_DEPTH:
        return 0
    deepest = depth = 0
    for part in _NESTING.finditer(text):
        depth += {b"[": 1, b"{": 1, b"]": -1, b"}": -1}.get(part[0], 0)
        deepest = max(deepest, depth)
        if deepest > MAX_JSON_DEPTH:
            break
    return deepest


async def _reject(error: InvalidParameter | TimedOut, status: int, scope: Any, receive: Any, send: Any) -> None:
    response = JSONResponse(error_body(error, status, scope["path"]), status, {"Connection": "close"})
    await response(scope, receive, send)


def _too_large(limit: int) -> InvalidParameter:
    return InvalidParameter("the request is too large", hint=f"at most {limit >> 10} KiB")
