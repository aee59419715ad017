"""Routes of the camera: one picture, or a stream of them."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from fastapi.responses import StreamingResponse

from reachy_mind.errors import MindError
from reachy_mind.eyes.watch import Shot
from reachy_mind.mind import Mind

FASTEST_HZ = 15.0
_PART = b"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n%b\r\n"


def router(mind: Mind) -> APIRouter:
    routes = APIRouter(prefix="/api/v1/vision")

    @routes.get("")
    async def eye() -> dict[str, Any]:
        """Whether there is a camera to look through, who provides it, and why not; its state and what troubles it;
        whether people are followed."""
        told = {"provider": mind.media.provider, "because": mind.media.reason} | mind.sight.described()
        try:
            mind.eye()
        except MindError as error:
            return {"available": False, "reason": error.message, "hint": error.hint} | told
        return {"available": True, "reason": "", "hint": ""} | told

    @routes.get("/frame", response_class=Response)
    async def frame() -> Response:
        """What the robot sees now, as JPEG."""
        return Response((await mind.sight.shot()).jpeg, media_type="image/jpeg")

    @routes.get("/stream", response_class=StreamingResponse)
    async def stream(fps: Annotated[float, Query(gt=0, le=FASTEST_HZ)] = 10.0) -> StreamingResponse:
        """The same as a moving picture (multipart JPEG); a browser shows it as an image."""
        first = await mind.sight.shot()
        return StreamingResponse(_frames(mind, first, fps), media_type="multipart/x-mixed-replace; boundary=frame")

    return routes


async def _frames(mind: Mind, shot: Shot, fps: float) -> AsyncIterator[bytes]:
    """Ends when the camera does: whoever watches asks again and is told why."""
    watch = mind.sight.watch
    with contextlib.suppress(MindError), watch.interested(lambda: fps):
        while True:
            yield _PART % (len(shot.jpeg), shot.jpeg)
            shot = await watch.next(shot.taken_at)
