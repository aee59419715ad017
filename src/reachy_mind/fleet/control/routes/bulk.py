"""Routes of many devices at once, for tests under load: made with their tokens, and revoked."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from pydantic import Field

from reachy_mind.fleet.control import audit, bulk
from reachy_mind.fleet.control.authorization import address_of, admin
from reachy_mind.fleet.control.bulk import BulkDevice
from reachy_mind.fleet.control.operators import Operator
from reachy_mind.fleet.control.plane import ControlPlane
from reachy_mind.fleet.control.routes.schemas import Name, RequestBody, ResponseModel
from reachy_mind.fleet.control.store.store import Sql


class BulkNames(RequestBody):
    prefix: Annotated[str, Field(min_length=1, max_length=50)]
    count: Annotated[int, Field(ge=1, le=bulk.MAX_DEVICES)]


class BulkRequest(BulkNames):
    group: Name | None = None


class BulkDeviceAnswer(ResponseModel):
    id: str
    name: str
    token: str


class BulkRevoked(ResponseModel):
    revoked: int


def router(plane: ControlPlane) -> APIRouter:
    routes = APIRouter(prefix="/fleet/v1", tags=["devices"])

    @routes.post("/devices/bulk", status_code=201, response_model=list[BulkDeviceAnswer])
    async def add_many(
        given: BulkRequest, request: Request, operator: Annotated[Operator, Depends(admin)]
    ) -> list[BulkDevice]:
        """Many devices with their tokens, for tests under load: `PREFIX-00001` and so on. Names that are taken are
        left out."""
        wanted = bulk.names(given.prefix, given.count)
        made: list[BulkDevice] = []
        for start in range(0, len(wanted), bulk.CHUNK):

            def add(sql: Sql, part: list[str] = wanted[start : start + bulk.CHUNK]) -> list[BulkDevice]:
                added = bulk.add(sql, operator.tenant, part, given.group)
                about = f"{len(added)} devices {given.prefix}-..."
                audit.record(sql, operator, "devices.added", about, address=address_of(request))
                return added

            made += await plane.store.write(add)
        return made

    @routes.post("/devices/bulk/revoke", response_model=BulkRevoked)
    async def revoke_many(
        given: BulkNames, request: Request, operator: Annotated[Operator, Depends(admin)]
    ) -> dict[str, int]:
        """Revoke devices that were made as many: `PREFIX-00001` and so on. Those that there are not are left out."""
        wanted = bulk.names(given.prefix, given.count)
        revoked: list[str] = []
        for start in range(0, len(wanted), bulk.CHUNK):

            def revoke(sql: Sql, part: list[str] = wanted[start : start + bulk.CHUNK]) -> list[str]:
                found = bulk.revoke(sql, operator.tenant, part)
                about = f"{len(found)} devices {given.prefix}-..."
                audit.record(sql, operator, "devices.revoked", about, address=address_of(request))
                return found

            revoked += await plane.store.write(revoke)
        for device in revoked:
            await plane.hub.wake(device, "revoked")
        return {"revoked": len(revoked)}

    return routes
