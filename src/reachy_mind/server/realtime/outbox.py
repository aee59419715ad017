"""`Outbox`: the events for a Realtime client that were not sent yet, in order."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Mapping
from typing import Any

from fastapi import WebSocket

from reachy_mind.errors import TooMany
from reachy_mind.server.realtime.dialect import in_beta
from reachy_mind.server.realtime.items import new_id

MOST_UNSENT, MOST_QUEUED = 100, 5000
"""Sound waits above the first; a client that reads nothing for so long that the second is reached is cut off."""


class Outbox:
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
