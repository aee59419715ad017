"""The event socket: every event of the mind as JSON. An event is encoded once, however many viewers there are."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import OrderedDict
from dataclasses import asdict

from fastapi import APIRouter, WebSocket, WebSocketDisconnect

from reachy_mind.events import Event, Subscription
from reachy_mind.mind import Mind
from reachy_mind.server.websocket_frames import wait_until_closed

KEPT_TEXTS = 64
"""Encoded events that are kept: viewers read the same few events at about the same time."""


class EventTexts:
    """The JSON of events."""

    def __init__(self) -> None:
        self._texts: OrderedDict[int, tuple[Event, str]] = OrderedDict()

    def text(self, event: Event) -> str:
        known = self._texts.get(id(event))
        if known is not None and known[0] is event:
            return known[1]
        text = json.dumps({"type": type(event).__name__, **asdict(event)}, default=str)
        self._texts[id(event)] = event, text  # the event is kept with it: its id is not given to another one
        if len(self._texts) > KEPT_TEXTS:
            self._texts.popitem(last=False)
        return text


def router(mind: Mind) -> APIRouter:
    routes = APIRouter(prefix="/api/v1")
    texts = EventTexts()

    @routes.websocket("/ws/events")
    async def events(websocket: WebSocket) -> None:
        """All events from now on; a slow reader gets a `Missed` event with the number of dropped ones."""
        await websocket.accept()
        with mind.bus.subscribe() as subscription:
            sending = asyncio.create_task(_send(websocket, subscription, texts), name="event socket")
            closed = asyncio.create_task(wait_until_closed(websocket))
            try:
                await asyncio.wait([sending, closed], return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in (sending, closed):
                    task.cancel()
                await asyncio.gather(sending, closed, return_exceptions=True)

    return routes


async def _send(websocket: WebSocket, subscription: Subscription, texts: EventTexts) -> None:
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):
        async for event in subscription:
            await websocket.send_text(texts.text(event))
