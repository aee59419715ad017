"""WebSocket frames: `receive_frame`, text or binary, and `wait_until_closed` for sockets that only send."""

from __future__ import annotations

import contextlib

from fastapi import WebSocket, WebSocketDisconnect


async def receive_frame(websocket: WebSocket) -> str | bytes:
    """The next frame, text or binary. Raises WebSocketDisconnect at the end."""
    message = await websocket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code", 1000))
    text: str | None = message.get("text")
    return text if text is not None else bytes(message.get("bytes") or b"")


async def wait_until_closed(websocket: WebSocket) -> None:
    """Return when the client has disconnected; frames it sends are ignored."""
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):
        while True:
            await receive_frame(websocket)
