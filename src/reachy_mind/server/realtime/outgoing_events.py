"""`OutgoingEvents`: the events for a Realtime client that were not sent yet, in order."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Mapping
from typing import Any

from fastapi import WebSocket

from reachy_mind.errors import InvalidParameter, MindError, TooMany
from reachy_mind.server.realtime.dialect import in_beta
from reachy_mind.server.realtime.items import RefusedEvent, new_id

MOST_UNSENT, MOST_QUEUED = 100, 5000
"""Sound waits above the first; a client that reads nothing for so long that the second is reached is cut off."""
LONGEST_ERROR = 500


class OutgoingEvents:
    def __init__(self) -> None:
        self.beta = False
        self._unsent: deque[str] = deque()
        self._more = asyncio.Event()
        self._sent = asyncio.Condition()

    def emit(self, kind: str, about: Mapping[str, Any]) -> None:
        """Queue an event. It is written now: what it tells of may change."""
        if self.beta:
            kind, about = in_beta(kind, about)
        if not kind:
            return
        self._unsent.append(json.dumps({"type": kind, "event_id": new_id("event"), **about}, ensure_ascii=False))
        self._more.set()

    def refuse(self, error: MindError, event_id: Any = None) -> None:
        """Tell the client of an error, and which event of theirs it answers."""
        refused = isinstance(error, RefusedEvent)
        kind = "invalid_request_error" if refused or isinstance(error, InvalidParameter) else "server_error"
        code = error.code if refused else "invalid_value" if isinstance(error, InvalidParameter) else error.code
        message = f"{error.message}; {error.hint}" if error.hint else error.message
        about: dict[str, Any] = {"type": kind, "code": code, "message": message[:LONGEST_ERROR]}
        about |= {"param": error.param if isinstance(error, RefusedEvent) else None, "event_id": event_id}
        self.emit("error", {"error": about})

    async def room(self) -> None:
        """Wait while too much is unsent, and with it whoever makes sound."""
        async with self._sent:
            await self._sent.wait_for(lambda: len(self._unsent) < MOST_UNSENT)

    async def write(self, websocket: WebSocket) -> None:
        """Send what is queued, until cancelled. Raises TooMany for a client that does not read."""
        while True:
            await self._more.wait()
            self._more.clear()
            while self._unsent:
                if len(self._unsent) > MOST_QUEUED:
                    raise TooMany("the client does not read what it is sent")
                await websocket.send_text(self._unsent.popleft())
                async with self._sent:
                    self._sent.notify_all()
