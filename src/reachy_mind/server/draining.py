"""`Draining`: the server's end in good order. What has begun may end, for a while; nothing new begins but a stop."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi.responses import JSONResponse

from reachy_mind.errors import NotReady
from reachy_mind.server.limits import STOP

LONGEST_S = 5.0
WATCHING = ("GET", "HEAD")
REASON = "the mind is ending"


class Draining:
    """Wraps an ASGI app."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self._begun = asyncio.Event()
        self._none = asyncio.Event()
        self._none.set()
        self._running = 0

    @property
    def begun(self) -> bool:
        return self._begun.is_set()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif scope["method"] in WATCHING:
            await self._app(scope, lambda: unless(self._begun, receive), send)
        elif self.begun and scope["path"] != STOP:
            error = NotReady(REASON, hint="start it again: reachy-mind run").as_dict()
            await JSONResponse({"error": error}, 503, {"Connection": "close"})(scope, receive, send)
        else:
            await self._counted(scope, receive, send)

    async def drain(self, seconds: float = LONGEST_S) -> bool:
        """Take nothing new, and wait for what has begun; whether all of it ended."""
        self._begun.set()
        try:
            async with asyncio.timeout(seconds):
                await self._none.wait()
        except TimeoutError:
            return False
        return True

    async def _counted(self, scope: Any, receive: Any, send: Any) -> None:
        self._running += 1
        self._none.clear()
        try:
            await self._app(scope, receive, send)
        finally:
            self._running -= 1
            if not self._running:
                self._none.set()


async def unless(over: asyncio.Event, receive: Any) -> Any:
    """Who watches a stream of pictures would watch for ever: when it is over they count as gone."""
    waiting = asyncio.ensure_future(receive())
    ending = asyncio.ensure_future(over.wait())
    try:
        await asyncio.wait([waiting, ending], return_when=asyncio.FIRST_COMPLETED)
        return waiting.result() if waiting.done() else {"type": "http.disconnect"}
    finally:
        for task in (waiting, ending):
            task.cancel()
        await asyncio.gather(waiting, ending, return_exceptions=True)
