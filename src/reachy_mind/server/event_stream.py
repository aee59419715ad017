"""The event socket: every event of the mind as JSON. An event is encoded once, however many viewers there are."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import AsyncGenerator
from dataclasses import asdict

from fastapi import APIRouter, WebSocket

from reachy_mind.events import Event, Subscription
from reachy_mind.mind import Mind
from reachy_mind.server.websocket_frames import send_until_closed

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
            await send_until_closed(websocket, _encoded(subscription, texts), "event")

    return routes


async def _encoded(subscription: Subscription, texts: EventTexts) -> AsyncGenerator[str]:
    async for event in subscription:
        yield texts.text(event)
