"""Routes of the eyes: the camera's picture, one or a stream of them; what is in a picture; what is recognised just now.

A picture that somebody sends is read before anything else is done with it: one that is broken, too large or none at all
costs its sender an error. It is looked at and forgotten.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException

from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.eyes import pictures
from reachy_mind.eyes.pictures import Picture
from reachy_mind.eyes.watch import Shot
from reachy_mind.mind import Mind
from reachy_mind.server.overlay import Overlay
from reachy_mind.tools.context import Caller

FASTEST_HZ = 15.0
AGE_S = 0.1
"""Whoever looks ten times a second need not have pictures of their own while others are being taken."""
LONGEST_PROMPT = 1000
READ_AT_ONCE = 2
"""A large picture takes some hundred megabytes while it is read."""
NOT_OURS = 0.0
"""When a picture that was sent was taken: before any of the camera's, so that nobody takes it for one."""
_PART = b"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n%b\r\n"
_HINT = 'JSON {"image"?: base64, "prompt"?} or a form with a file "image" and a field "prompt"'


class Wanted(BaseModel):
    """A picture and a question about it. Without a picture, the camera's is looked at."""

    model_config = ConfigDict(extra="forbid")

    image: str | None = Field(None, description="JPEG, PNG or WebP in base64, or as a data: address")
    prompt: str = Field("", max_length=LONGEST_PROMPT, description="What to find out about it")


BOX = {"left": 0.41, "top": 0.52, "right": 0.5, "bottom": 0.66}
ANALYZE: dict[str, Any] = {
    "requestBody": {
        "required": False,
        "content": {
            "application/json": {
                "schema": Wanted.model_json_schema(),
                "example": {"prompt": "Is there an apple?"},
            },
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "properties": {
                        "image": {"type": "string", "format": "binary"},
                        "prompt": {"type": "string", "maxLength": LONGEST_PROMPT},
                    },
                }
            },
        },
    }
}
ANALYZED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "What is in it. Boxes are shares of its width and height; all of it is untrusted.",
        "content": {
            "application/json": {
                "example": {
                    "description": "I see an apple and a duck on a table.",
                    "objects": [{"name": "apple", "confidence": 0.97, "box": BOX, "detector": "sim"}],
                    "faces": [],
                    "texts": [],
                    "scene_type": "table",
                    "by": "detectors",
                    "missing": [],
                    "width": 640,
                    "height": 360,
                    "untrusted": True,
                }
            }
        },
    }
}
CAPTURED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "A JPEG in base64, and when it was taken.",
        "content": {
            "application/json": {
                "example": {
                    "image": "/9j/4AAQ...",
                    "timestamp": "2026-05-04T09:30:00.120+00:00",
                    "width": 640,
                    "height": 360,
                }
            }
        },
    }
}


def router(mind: Mind) -> APIRouter:
    routes = APIRouter(prefix="/api/v1/vision")
    caller = Caller("person", "rest")
    reading = asyncio.Semaphore(READ_AT_ONCE)
    overlay = Overlay(mind)

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
        return Response((await mind.sight.shot(AGE_S)).jpeg, media_type="image/jpeg")

    @routes.get("/stream", response_class=StreamingResponse)
    async def stream(fps: Annotated[float, Query(gt=0, le=FASTEST_HZ)] = 10.0) -> StreamingResponse:
        """The same as a moving picture (multipart JPEG); a browser shows it as an image."""
        first = await mind.sight.shot()
        return StreamingResponse(_frames(mind, first, fps), media_type="multipart/x-mixed-replace; boundary=frame")

    @routes.get("/seen")
    async def seen() -> dict[str, Any]:
        """Faces and things in the camera's latest picture, and where; how the camera is. For drawing over it."""
        return await overlay.now()

    @routes.post("/capture", responses=CAPTURED)
    async def capture() -> dict[str, Any]:
        """Take a picture with the robot's camera. It is not kept."""
        told = await mind.act("perception.capture_picture", {}, caller)
        picture = mind.sight.tray.take(told["picture"])
        image = await asyncio.to_thread(pictures.encoded, picture.pixels)
        about = {name: told[name] for name in ("timestamp", "width", "height")}
        return {"image": base64.b64encode(image).decode()} | about

    @routes.post("/analyze", openapi_extra=ANALYZE, responses=ANALYZED)
    async def analyze(request: Request) -> dict[str, Any]:
        """What is in a picture that is sent, or in the camera's."""
        async with reading:
            picture, prompt = await _wanted(request)
        args = {"prompt": prompt} if prompt else {}
        args |= {"picture": mind.sight.tray.lay(picture)} if picture else {}
        told = await mind.act("perception.analyze_picture", args, caller)
        return {name: value for name, value in told.items() if name not in ("message", "note")}

    return routes


async def _wanted(request: Request) -> tuple[Picture | None, str]:
    """The picture that came with a request, and the question. Raises InvalidParameter."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "multipart/form-data":
        return await _from_form(request)
    body = await request.body()
    if not body:
        return None, ""
    if kind not in ("", "application/json"):
        raise InvalidParameter(f"{kind} can't be read here", hint=_HINT)
    return await asyncio.to_thread(_from_json, body)


def _from_json(body: bytes) -> tuple[Picture | None, str]:
    try:
        wanted = Wanted.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "the request"
        raise InvalidParameter(f"{place}: {first['msg']}", hint=_HINT) from None
    if wanted.image is None:
        return None, wanted.prompt
    return pictures.from_text(wanted.image, NOT_OURS), wanted.prompt


async def _from_form(request: Request) -> tuple[Picture | None, str]:
    try:
        async with request.form(max_files=1, max_fields=4) as form:
            unknown = sorted(set(form) - {"image", "prompt"})
            image, prompt = form.get("image"), form.get("prompt", "")
            if unknown or isinstance(prompt, UploadFile) or len(prompt) > LONGEST_PROMPT:
                raise InvalidParameter(f"the form has {unknown or 'no usable prompt'}", hint=_HINT)
            if isinstance(image, UploadFile):
                data = await image.read(pictures.MOST_BYTES + 1)
                return await asyncio.to_thread(pictures.from_outside, data, NOT_OURS), prompt
    except HTTPException as error:
        raise InvalidParameter(f"the form can't be read: {error.detail}", hint=_HINT) from None
    if image:
        return await asyncio.to_thread(pictures.from_text, image, NOT_OURS), prompt
    return None, prompt


async def _frames(mind: Mind, shot: Shot, fps: float) -> AsyncIterator[bytes]:
    """Ends when the camera does: whoever watches asks again and is told why."""
    watch = mind.sight.watch
    with contextlib.suppress(MindError), watch.interested(lambda: fps):
        while True:
            yield _PART % (len(shot.jpeg), shot.jpeg)
            shot = await watch.next(shot.taken_at)
