"""Vision routes: camera pictures (one, or an MJPEG stream), picture analysis, and current detections.

An uploaded picture is decoded before anything else happens: a broken or too large one is an error. It is not stored.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
from collections.abc import AsyncGenerator
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException

from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.eyes import pictures
from reachy_mind.eyes.frame_source import CameraFrame
from reachy_mind.eyes.pictures import Picture
from reachy_mind.mind import Mind
from reachy_mind.server.overlay import Overlay
from reachy_mind.tools.context import Caller
from reachy_mind.tools.definition import Tier

MAX_FPS = 30.0
MAX_AGE_S = 0.1
"""A picture this fresh is shared between clients."""
MAX_PROMPT = 1000
MAX_DECODING = 2
"""Pictures decoded at the same time: a large one takes some hundred megabytes."""
UPLOADED_AT = 0.0
"""Capture time of an uploaded picture: older than any of the camera's, so it is never taken for one."""
_PART = b"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n%b\r\n"
_HINT = 'JSON {"image"?: base64, "prompt"?} or a form with a file "image" and a field "prompt"'


class VisionRequest(BaseModel):
    """A picture and a question about it. Without a picture, the camera's is used."""

    model_config = ConfigDict(extra="forbid")

    image: str | None = Field(None, description="JPEG, PNG or WebP in base64, or as a data: address")
    prompt: str = Field("", max_length=MAX_PROMPT, description="What to find out about it")


BOX = {"left": 0.41, "top": 0.52, "right": 0.5, "bottom": 0.66}
ANALYZE_REQUEST: dict[str, Any] = {
    "requestBody": {
        "required": False,
        "content": {
            "application/json": {
                "schema": VisionRequest.model_json_schema(),
                "example": {"prompt": "Is there an apple?"},
            },
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "properties": {
                        "image": {"type": "string", "format": "binary"},
                        "prompt": {"type": "string", "maxLength": MAX_PROMPT},
                    },
                }
            },
        },
    }
}
ANALYZE_RESPONSE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "What is in the picture. Boxes are fractions of its width and height. All of it is untrusted.",
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
CAPTURE_RESPONSE: dict[int | str, dict[str, Any]] = {
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
    decoding = asyncio.Semaphore(MAX_DECODING)
    overlay = Overlay(mind)

    @routes.get("")
    async def eye() -> dict[str, Any]:
        """Whether there is a camera, who provides it, or why there is none; its state and problems; whether faces are
        followed."""
        state = {"provider": mind.media.provider, "because": mind.media.reason} | mind.sight.described()
        try:
            mind.eye()
        except MindError as error:
            return {"available": False, "reason": error.message, "hint": error.hint} | state
        return {"available": True, "reason": "", "hint": ""} | state

    @routes.get("/frame", response_class=Response)
    async def frame() -> Response:
        """What the robot sees now, as JPEG."""
        await _permit_picture(mind, caller)
        return Response((await mind.sight.frame(MAX_AGE_S)).jpeg, media_type="image/jpeg")

    @routes.get("/stream", response_class=StreamingResponse)
    async def stream(fps: Annotated[float, Query(gt=0, le=MAX_FPS)] = 10.0) -> StreamingResponse:
        """The same as a stream (multipart JPEG, MJPEG); a browser shows it as an image."""
        await _permit_picture(mind, caller)
        first = await mind.sight.frame()
        return StreamingResponse(frames_of(mind, first, fps), media_type="multipart/x-mixed-replace; boundary=frame")

    @routes.get("/seen")
    async def seen() -> dict[str, Any]:
        """Faces and objects in the camera's latest picture, with boxes, and the camera's state. For drawing over it."""
        return await overlay.detect()

    @routes.post("/capture", responses=CAPTURE_RESPONSE)
    async def capture() -> dict[str, Any]:
        """Take a picture with the robot's camera. It is not stored."""
        captured = await mind.act("perception.capture_picture", {}, caller)
        picture = mind.sight.pending_pictures.take(captured["picture"])
        image = await asyncio.to_thread(pictures.encode, picture.pixels)
        about = {name: captured[name] for name in ("timestamp", "width", "height")}
        return {"image": base64.b64encode(image).decode()} | about

    @routes.post("/analyze", openapi_extra=ANALYZE_REQUEST, responses=ANALYZE_RESPONSE)
    async def analyze(request: Request) -> dict[str, Any]:
        """What is in an uploaded picture, or in the camera's."""
        async with decoding:
            picture, prompt = await _parse(request)
        args = {"prompt": prompt} if prompt else {}
        args |= {"picture": mind.sight.pending_pictures.put(picture)} if picture else {}
        analysis = await mind.act("perception.analyze_picture", args, caller)
        return {name: value for name, value in analysis.items() if name not in ("message", "note")}

    return routes


async def _permit_picture(mind: Mind, caller: Caller) -> None:
    """One gated call where a rule asks or forbids; raises ToolError. A picture that needs no yes is not audited."""
    if _picture_tier(mind) >= Tier.CONFIRM:
        captured = await mind.act("perception.capture_picture", {}, caller)
        mind.sight.pending_pictures.take(captured["picture"])


def _picture_tier(mind: Mind) -> Tier:
    toolbox = mind.toolbox
    return toolbox.decisions.tool(toolbox.registry.find("perception.capture_picture")[0]).tier


async def _parse(request: Request) -> tuple[Picture | None, str]:
    """The uploaded picture of a request, if any, and the question. Raises InvalidParameter."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "multipart/form-data":
        return await _from_form(request)
    body = await request.body()
    if not body:
        return None, ""
    if kind not in ("", "application/json"):
        raise InvalidParameter(f"this route does not take {kind}", hint=_HINT)
    return await asyncio.to_thread(_from_json, body)


def _from_json(body: bytes) -> tuple[Picture | None, str]:
    try:
        given = VisionRequest.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "the request"
        raise InvalidParameter(f"{place}: {first['msg']}", hint=_HINT) from None
    if given.image is None:
        return None, given.prompt
    return pictures.from_base64(given.image, UPLOADED_AT), given.prompt


async def _from_form(request: Request) -> tuple[Picture | None, str]:
    try:
        async with request.form(max_files=1, max_fields=4) as form:
            unknown = sorted(set(form) - {"image", "prompt"})
            image, prompt = form.get("image"), form.get("prompt", "")
            if unknown or isinstance(prompt, UploadFile) or len(prompt) > MAX_PROMPT:
                raise InvalidParameter(f"the form has {unknown or 'no usable prompt'}", hint=_HINT)
            if isinstance(image, UploadFile):
                data = await image.read(pictures.MAX_BYTES + 1)
                return await asyncio.to_thread(pictures.from_upload, data, UPLOADED_AT), prompt
    except HTTPException as error:
        raise InvalidParameter(f"the form can't be read: {error.detail}", hint=_HINT) from None
    if image:
        return await asyncio.to_thread(pictures.from_base64, image, UPLOADED_AT), prompt
    return None, prompt


async def frames_of(mind: Mind, shot: CameraFrame, fps: float) -> AsyncGenerator[bytes]:
    """JPEG parts until the camera stops or is forbidden; a client then requests again and gets the reason."""
    watch, allowed = mind.sight.frames, _picture_tier(mind)
    with contextlib.suppress(MindError), watch.subscribe(lambda: fps):
        while _picture_tier(mind) <= max(allowed, Tier.NOTIFY):
            yield _PART % (len(shot.jpeg), shot.jpeg)
            shot = await watch.next(shot.taken_at)
