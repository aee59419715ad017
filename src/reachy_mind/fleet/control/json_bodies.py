"""`StrictRequests`: ASGI middleware that refuses what JSON or PostgreSQL does not know, before a route reads it.

Python's parser takes NaN and infinity, and texts with half a surrogate pair, which can't be sent on as UTF-8;
PostgreSQL keeps no zero bytes in its texts.
"""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from fastapi.responses import JSONResponse

from reachy_mind.errors import InvalidParameter


class StrictRequests:
    """Wraps an ASGI app; inside of `BodyLimitMiddleware`, which gives it small bodies of limited depth."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        error = None
        if "\0" in scope["path"] or b"%00" in scope["query_string"]:
            error = InvalidParameter("a path or query has no zero bytes", hint="see /openapi.json")
        elif b"json" in dict(scope["headers"]).get(b"content-type", b""):
            message = await receive()
            body = message.get("body", b"")
            if body and not message.get("more_body", False):
                error = _fault(body)
            receive = _again(message, receive)
        if error is not None:
            await JSONResponse({"error": error.as_dict()}, 400)(scope, receive, send)
            return
        await self._app(scope, receive, send)


def _again(message: Any, receive: Any) -> Any:
    """A receiver that gives the message first."""
    waiting = [message]

    async def next_message() -> Any:
        return waiting.pop() if waiting else await receive()

    return next_message


def _fault(body: bytes) -> InvalidParameter | None:
    """What is wrong with the JSON of a request."""
    try:
        # Not the bytes: Python would take other encodings, too.
        content = json.loads(body.decode(), parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        return InvalidParameter(f"this is not valid JSON: {error}", hint="see /openapi.json")
    if b"\\u" not in body:  # only an escape brings in what UTF-8 has not
        return None
    text = json.dumps(content, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return InvalidParameter("a text has half of a surrogate pair", hint="send it as UTF-8")
    if "\\u0000" in text.replace("\\\\", ""):
        return InvalidParameter("a text has a zero byte", hint="leave it out")
    return None


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


def _finite(text: str) -> float:
    if not math.isfinite(number := float(text)):
        raise ValueError(f"{text[:20]} is too large")
    return number
