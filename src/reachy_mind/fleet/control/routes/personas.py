"""Personalities: stored for a tenant, and fetched by its devices."""

from __future__ import annotations

import asyncio
import json
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import Field

from reachy_mind.errors import InvalidParameter
from reachy_mind.fleet.control import audit, personas
from reachy_mind.fleet.control.authorization import address_of, calling_device, viewer
from reachy_mind.fleet.control.authorization import operator as may_operate
from reachy_mind.fleet.control.devices import Device
from reachy_mind.fleet.control.operators import Operator
from reachy_mind.fleet.control.personas import PersonaBundle
from reachy_mind.fleet.control.plane import ControlPlane
from reachy_mind.fleet.control.routes.schemas import After, IdPath, Limit, Page, RequestBody, ResponseModel, page
from reachy_mind.fleet.control.store.store import Sql

IMMUTABLE = "private, max-age=31536000, immutable"


class NewPersona(RequestBody):
    """Either `profile`, or `id` and `files`."""

    profile: Annotated[str, Field(max_length=64, description="One that comes with the program")] | None = None
    id: Annotated[str, Field(max_length=64, examples=["sea_captain"])] | None = None
    files: Annotated[dict[str, str], Field(max_length=len(personas.FILES), description="Texts by file name")] | None = (
        None
    )


class StoredPersona(ResponseModel):
    id: str
    etag: str = Field(description="SHA-256 of the texts")
    new: bool = Field(description="Whether these texts were not stored before")


class PersonaVersion(ResponseModel):
    etag: str
    created_at: int
    created_by: str


class PersonaAnswer(ResponseModel):
    id: str
    etag: str = Field(description="Of the latest version")
    versions: list[PersonaVersion]


class PersonaFiles(PersonaVersion):
    id: str
    files: dict[str, str]


def router(plane: ControlPlane) -> APIRouter:
    routes = APIRouter(prefix="/fleet/v1", tags=["personas"])

    @routes.get("/shipped-personas", response_model=Page[str])
    async def list_shipped(_: Annotated[Operator, Depends(viewer)]) -> dict[str, Any]:
        """The personalities that come with the program."""
        return {"items": list(await asyncio.to_thread(personas.shipped)), "next": None}

    @routes.post("/personas", status_code=201, response_model=StoredPersona)
    async def store(
        given: NewPersona, request: Request, operator: Annotated[Operator, Depends(may_operate)]
    ) -> dict[str, Any]:
        """Store a personality. What was stored before stays, by its etag; the same texts again become the latest."""
        bundle = await _bundle(given)

        def put(sql: Sql) -> bool:
            audit.record(sql, operator, "persona.stored", f"{bundle.id} {bundle.etag}", address=address_of(request))
            return personas.put(sql, operator.tenant, bundle, by=operator.name)

        is_new = await plane.store.write(put)
        await plane.hub.announce(operator.tenant, "persona", id=bundle.id)
        return {"id": bundle.id, "etag": bundle.etag, "new": is_new}

    @routes.get("/personas", response_model=Page[PersonaAnswer])
    async def list_personas(
        operator: Annotated[Operator, Depends(viewer)], after: After = "", limit: Limit = 100
    ) -> dict[str, Any]:
        """By name, each with its versions, the latest first."""
        found = await plane.store.read(lambda sql: personas.listed(sql, operator.tenant, after=after, limit=limit))
        return page(found, limit, lambda each: each["id"])

    @routes.get("/personas/{persona}", response_model=PersonaFiles)
    async def get_persona(
        persona: IdPath,
        operator: Annotated[Operator, Depends(viewer)],
        etag: Annotated[str | None, Query(max_length=64)] = None,
    ) -> dict[str, Any]:
        """All texts of a personality; the latest version without an etag."""
        row = await plane.store.read(lambda sql: personas.get(sql, operator.tenant, persona, etag))
        bundle: dict[str, Any] = json.loads(row["body"])
        return bundle | {key: row[key] for key in ("etag", "created_at", "created_by")}

    @routes.delete("/personas/{persona}/{etag}", status_code=204)
    async def remove(
        persona: IdPath, etag: IdPath, request: Request, operator: Annotated[Operator, Depends(may_operate)]
    ) -> None:
        """Remove a version that is not in use."""

        def take_away(sql: Sql) -> None:
            personas.remove(sql, operator.tenant, persona, etag)
            audit.record(sql, operator, "persona.removed", f"{persona} {etag}", address=address_of(request))

        await plane.store.write(take_away)
        await plane.hub.announce(operator.tenant, "persona", id=persona)

    @routes.get("/device/personas/{persona}/{etag}", tags=["devices' side"], response_class=Response)
    async def fetch(
        persona: IdPath, etag: IdPath, request: Request, device: Annotated[Device, Depends(calling_device)]
    ) -> Response:
        """For devices: the bundle whose bytes have this SHA-256."""
        row = await plane.store.read(lambda sql: personas.get(sql, device.tenant, persona, etag))
        headers = {"ETag": f'"{etag}"', "Cache-Control": IMMUTABLE}
        if request.headers.get("if-none-match") == headers["ETag"]:
            return Response(status_code=304, headers=headers)
        return Response(row["body"].encode(), media_type="application/json", headers=headers)

    return routes


async def _bundle(new: NewPersona) -> PersonaBundle:
    """Raises NotFound, InvalidParameter."""
    if new.profile is not None and new.id is None and new.files is None:
        return await asyncio.to_thread(personas.from_shipped, new.profile)
    if new.profile is None and new.id is not None and new.files is not None:
        return await asyncio.to_thread(PersonaBundle, new.id, new.files)
    raise InvalidParameter("a personality is either a profile, or an id with files", hint="see /openapi.json")
