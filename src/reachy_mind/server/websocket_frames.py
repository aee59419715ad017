"""WebSocket frames: `receive_frame`, text or binary, and `send_until_closed` for sockets that only send."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator

from fastapi import WebSocket, WebSocketDisconnect

from reachy_mind import log

_log = log.get(__name__)


async def receive_frame(websocket: WebSocket) -> str | bytes:
    """The next frame, text or binary. Raises WebSocketDisconnect at the end."""
    message = await websocket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code", 1000))
    text: str | None = message.get("text")
    return text if text is not None else bytes(message.get("bytes") or b"")


async def send_until_closed(websocket: WebSocket, texts: AsyncGenerator[str], name: str) -> None:
    """Send these texts until there are no more or the client disconnects; frames it sends are ignored."""
    sending = asyncio.create_task(_send(websocket, texts), name=f"{name} socket")
    closed = asyncio.create_task(_wait_until_closed(websocket))
    try:
        await asyncio.wait([sending, closed], return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (sending, closed):
            task.cancel()
        for outcome in await asyncio.gather(sending, closed, return_exceptions=True):
            if isinstance(outcome, Exception):
                _log.error("a WebSocket failed", socket=name, error=repr(outcome))


async def _send(websocket: WebSocket, texts: AsyncGenerator[str]) -> None:
    async with contextlib.aclosing(texts):
        async for text in texts:
            try:
                await websocket.send_text(text)
            except (WebSocketDisconnect, RuntimeError):
                return  # the client has left


async def _wait_until_closed(websocket: WebSocket) -> None:
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):
        while True:
            await receive_frame(websocket)
