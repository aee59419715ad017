"""What the routes share: something that is not there, and a frame of a socket whatever its kind."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from fastapi import WebSocket, WebSocketDisconnect

from reachy_mind.errors import InvalidParameter, MindError, NotReady


class NotFound(MindError):
    """There is nothing of this id, or not any more."""

    code = "NOT_FOUND"


@contextlib.contextmanager
def looked_up(hint: str = "") -> Iterator[None]:
    """An id that means nothing (any more) is a 404."""
    try:
        yield
    except (InvalidParameter, NotReady) as error:
        raise NotFound(error.message, hint=hint or error.hint) from None


async def frame_of(websocket: WebSocket) -> str | bytes:
    """The next frame, text or binary. Raises WebSocketDisconnect at the end."""
    message = await websocket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code", 1000))
    text: str | None = message.get("text")
    return text if text is not None else bytes(message.get("bytes") or b"")


async def until_gone(websocket: WebSocket) -> None:
    """Returns when whoever reads the socket has left; what they send is ignored."""
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):
        while True:
            await frame_of(websocket)
