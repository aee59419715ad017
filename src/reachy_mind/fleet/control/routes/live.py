"""`GET /fleet/v1/live`: what happens in a tenant, as Server-Sent Events.

A viewer that reads too slowly misses some and is told how many; what happened is in the lists of the other routes.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections import deque
from collections.abc import AsyncIterator, Iterator
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Request
from fastapi.responses import StreamingResponse

from reachy_mind.access.authorization import NotAllowed, Unauthenticated
from reachy_mind.errors import TooMany
from reachy_mind.fleet.control.authorization import ControlAuthentication, viewer
from reachy_mind.fleet.control.operators import Operator
from reachy_mind.fleet.control.plane import ControlPlane

QUEUE: Final = 256
MAX_VIEWERS: Final = 256
"""Of a node."""
MAX_OF_TENANT: Final = 128
"""A tenant does not take the room of the others."""
QUIET_S: Final = 15.0
"""After so long without news the viewer gets a comment, and its key is checked again."""


class Viewer:
    """The queue of one viewer."""

    def __init__(self) -> None:
        self.ended = False
        self._waiting: deque[dict[str, Any]] = deque()
        self._missed = 0
        self._news = asyncio.Event()

    def put(self, message: dict[str, Any]) -> None:
        if len(self._waiting) >= QUEUE:
            self._missed += 1
        else:
            self._waiting.append(message)
        self._news.set()

    def end(self) -> None:
        self.ended = True
        self._news.set()

    async def take(self, timeout_s: float) -> list[dict[str, Any]]:
        """What waits, at least one unless nothing comes in this time."""
        try:
            async with asyncio.timeout(timeout_s):
                await self._news.wait()
        except TimeoutError:
            return []
        taken = [*self._waiting]
        if self._missed:
            taken.append({"kind": "missed", "count": self._missed})
        self._waiting.clear()
        self._missed = 0
        self._news.clear()
        return taken


class LiveViewers:
    """All viewers of a node. The app keeps one as `app.state.viewers`."""

    def __init__(self) -> None:
        self._open: dict[Viewer, str] = {}
        """By whom: the tenant of each."""
        self._ending = False

    def __len__(self) -> int:
        return len(self._open)

    def check_room(self, tenant: str) -> None:
        """Raises TooMany."""
        of_tenant = sum(each == tenant for each in self._open.values())
        if self._ending or len(self._open) >= MAX_VIEWERS or of_tenant >= MAX_OF_TENANT:
            raise TooMany("too many viewers", hint="close another page")

    @contextlib.contextmanager
    def viewer(self, tenant: str) -> Iterator[Viewer]:
        mine = Viewer()
        self._open[mine] = tenant
        try:
            yield mine
        finally:
            del self._open[mine]

    def end_all(self) -> None:
        """The node is ending: streams would go on for ever."""
        self._ending = True
        for each in self._open:
            each.end()


def router(plane: ControlPlane) -> APIRouter:
    routes = APIRouter(prefix="/fleet/v1", tags=["events"])
    about: dict[int | str, dict[str, Any]] = {
        200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}, "description": "Server-Sent Events"}
    }

    @routes.get("/live", response_class=StreamingResponse, responses=about)
    async def live(request: Request, operator: Annotated[Operator, Depends(viewer)]) -> StreamingResponse:
        """What happens from now on: `data:` lines with JSON, `kind` says what: online, offline, event, emergency,
        command, twin, device, enrolled, rollout, missed."""
        viewers: LiveViewers = request.app.state.viewers
        viewers.check_room(operator.tenant)
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(_stream(request, operator, viewers), media_type="text/event-stream", headers=headers)

    async def _stream(request: Request, operator: Operator, viewers: LiveViewers) -> AsyncIterator[str]:
        authentication: ControlAuthentication = request.app.state.authentication
        checked = time.monotonic()
        with viewers.viewer(operator.tenant) as mine, plane.bus.subscribe(f"tenant.{operator.tenant}", mine.put):
            yield ": connected\n\n"
            while not mine.ended:
                found = await mine.take(QUIET_S)
                if time.monotonic() - checked >= QUIET_S:
                    checked = time.monotonic()
                    try:
                        await authentication.operator(request, "viewer")
                    except (Unauthenticated, NotAllowed):
                        return
                for message in found:
                    yield f"data: {json.dumps(message)}\n\n"
                if not found:
                    yield ": quiet\n\n"

    return routes
