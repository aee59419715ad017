"""Audio clips: what devices recorded, and what they are to play (`audio.play {"audio": ID}`)."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response
from pydantic import Field

from reachy_mind.fleet.control import audio_clips, audit
from reachy_mind.fleet.control.authorization import address_of, calling_device, viewer
from reachy_mind.fleet.control.authorization import operator as may_operate
from reachy_mind.fleet.control.devices import Device
from reachy_mind.fleet.control.operators import Operator
from reachy_mind.fleet.control.plane import ControlPlane
from reachy_mind.fleet.control.routes.schemas import IdPath, ResponseModel
from reachy_mind.fleet.control.store.store import Sql

WAV = "audio/wav"
_WAV_BODY: dict[str, Any] = {"requestBody": {"content": {WAV: {"schema": {"type": "string", "format": "binary"}}}}}


class StoredClip(ResponseModel):
    audio: str = Field(description="The id of the clip")


def router(plane: ControlPlane) -> APIRouter:
    routes = APIRouter(prefix="/fleet/v1", tags=["audio"])

    @routes.post("/audio", status_code=201, response_model=StoredClip, openapi_extra=_WAV_BODY)
    async def store(request: Request, operator: Annotated[Operator, Depends(may_operate)]) -> dict[str, Any]:
        """Store a WAV file (16 bit, mono, at most 1 MiB) for a day; devices play it by `audio.play`."""
        content = await request.body()

        def keep(sql: Sql) -> str:
            clip = audio_clips.keep(sql, operator.tenant, content, made_by=operator.name)
            audit.record(sql, operator, "audio.stored", clip, address=address_of(request))
            return clip

        return {"audio": await plane.store.write(keep)}

    @routes.get("/audio/{clip}", response_class=Response)
    async def get(clip: IdPath, operator: Annotated[Operator, Depends(viewer)]) -> Response:
        """A clip, as a WAV file."""
        return Response(await plane.store.read(lambda sql: audio_clips.get(sql, operator.tenant, clip)), media_type=WAV)

    @routes.post(
        "/device/audio", tags=["devices' side"], status_code=201, response_model=StoredClip, openapi_extra=_WAV_BODY
    )
    async def record(request: Request, device: Annotated[Device, Depends(calling_device)]) -> dict[str, Any]:
        """For devices: store what somebody said; the event `utterance.recorded` names it."""
        content = await request.body()
        clip = await plane.store.write(lambda sql: audio_clips.record(sql, device.tenant, content, device=device.id))
        return {"audio": clip}

    @routes.get("/device/audio/{clip}", tags=["devices' side"], response_class=Response)
    async def fetch(clip: IdPath, device: Annotated[Device, Depends(calling_device)]) -> Response:
        """For devices: a clip of their tenant."""
        return Response(await plane.store.read(lambda sql: audio_clips.get(sql, device.tenant, clip)), media_type=WAV)

    return routes
