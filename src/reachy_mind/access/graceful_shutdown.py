"""`GracefulShutdown`: ASGI middleware that drains the server: running requests may finish, new ones get 503, a stop
still gets through."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi.responses import JSONResponse

from reachy_mind.access.error_body import error_body
from reachy_mind.access.rate_limits import STOP_PATH
from reachy_mind.errors import NotReady

DRAIN_TIMEOUT_S = 5.0
STREAMING_METHODS = ("GET", "HEAD")
"""Requests that change nothing and may be endless streams: they are ended, not waited for."""
REASON = "the mind is ending"


class GracefulShutdown:
    """Wraps an ASGI app."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self._draining = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self._running = 0

    @property
    def draining(self) -> bool:
        return self._draining.is_set()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif scope["method"] in STREAMING_METHODS:
            await self._app(scope, lambda: receive_until(self._draining, receive), send)
        elif self.draining and scope["path"] != STOP_PATH:
            body = error_body(NotReady(REASON, hint="start it again: reachy-mind run"), 503, scope["path"])
            await JSONResponse(body, 503, {"Connection": "close"})(scope, receive, send)
        else:
            await self._count(scope, receive, send)

    async def drain(self, timeout_s: float = DRAIN_TIMEOUT_S) -> bool:
        """Accept no new requests and wait for the running ones; whether all of them finished in time."""
        self._draining.set()
        try:
            async with asyncio.timeout(timeout_s):
                await self._idle.wait()
        except TimeoutError:
            return False
        return True

    async def _count(self, scope: Any, receive: Any, send: Any) -> None:
        self._running += 1
        self._idle.clear()
        try:
            await self._app(scope, receive, send)
        finally:
            self._running -= 1
            if not self._running:
                self._idle.set()


async def receive_until(end: asyncio.Event, receive: Any) -> Any:
    """The next ASGI message, or a disconnect once `end` is set: this ends a stream that would go on for ever."""
    receiving = asyncio.ensure_future(receive())
    ending = asyncio.ensure_future(end.wait())
    try:
        await asyncio.wait([receiving, ending], return_when=asyncio.FIRST_COMPLETED)
        return receiving.result() if receiving.done() else {"type": "http.disconnect"}
    finally:
        for task in (receiving, ending):
            task.cancel()
        # Not `gather`: cancelled itself, it raises a child's CancelledError, which anyio does not take for its own.
        await asyncio.wait([receiving, ending])
