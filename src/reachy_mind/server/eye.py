"""Routes of the camera: one picture, or a stream of them."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from fastapi.responses import StreamingResponse

from reachy_mind.errors import MindError
from reachy_mind.mind import Mind

FASTEST_HZ = 15.0
_PART = b"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n%b\r\n"


def router(mind: Mind) -> APIRouter:
    routes = APIRouter(prefix="/api/v1/vision")

    @routes.get("")
    async def eye() -> dict[str, Any]:
        """Whether there is a camera to look through, who provides it, and why not; why the last look failed."""
        media = {"provider": mind.media.provider, "because": mind.media.reason}
        try:
            trouble = mind.eye().trouble
        except MindError as error:
            return {"available": False, "reason": error.message, "hint": error.hint, "trouble": ""} | media
        return {"available": True, "reason": "", "hint": "", "trouble": trouble.message if trouble else ""} | media

    @routes.get("/frame", response_class=Response)
    async def frame() -> Response:
        """What the robot sees now, as JPEG."""
        return Response(await mind.eye().frame(), media_type="image/jpeg")

    @routes.get("/stream", response_class=StreamingResponse)
    async def stream(fps: Annotated[float, Query(gt=0, le=FASTEST_HZ)] = 10.0) -> StreamingResponse:
        """The same as a moving picture (multipart JPEG); a browser shows it as an image."""
        first = await mind.eye().frame()
        return StreamingResponse(_frames(mind, first, fps), media_type="multipart/x-mixed-replace; boundary=frame")

    return routes


async def _frames(mind: Mind, picture: bytes, fps: float) -> AsyncIterator[bytes]:
    """Ends when the camera does: whoever watches asks again and is told why."""
    due = time.monotonic()
    with contextlib.suppress(MindError):
        while True:
            yield _PART % (len(picture), picture)
            due = max(due + 1 / fps, time.monotonic())
            await asyncio.sleep(due - time.monotonic())
            picture = await mind.eye().frame()
