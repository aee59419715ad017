"""Routes of events: what devices sent, the latest first."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from pydantic import Field

from reachy_mind.fleet.control import devices, uplink
from reachy_mind.fleet.control.authorization import viewer
from reachy_mind.fleet.control.operators import Operator
from reachy_mind.fleet.control.plane import ControlPlane
from reachy_mind.fleet.control.routes.schemas import Limit, Page, ResponseModel, page
from reachy_mind.fleet.control.store.store import Sql

EventCursor = Annotated[
    str, Query(pattern=r"^(\d{1,16}:[0-9A-Za-z_-]{1,64})?$", description="The `next` of the page before")
]


class EventAnswer(ResponseModel):
    id: str
    device: str
    device_name: str
    type: str = Field(examples=["button.pressed"])
    prio: int
    ts: int = Field(description="By the device's clock")
    re: str | None
    received_at: int
    seq: int
    payload: dict[str, Any]
    cursor: str


def router(plane: ControlPlane) -> APIRouter:
    routes = APIRouter(prefix="/fleet/v1", tags=["events"])

    @routes.get("/events", response_model=Page[EventAnswer])
    async def list_events(
        operator: Annotated[Operator, Depends(viewer)],
        device: Annotated[str | None, Query(max_length=80, description="Id or name")] = None,
        type_: Annotated[str | None, Query(alias="type", max_length=64)] = None,
        before: EventCursor = "",
        limit: Limit = 100,
    ) -> dict[str, Any]:
        """Events of this tenant's devices, the latest first."""

        def read(sql: Sql) -> list[dict[str, Any]]:
            found = devices.get(sql, operator.tenant, device).id if device is not None else None
            return uplink.listed(sql, operator.tenant, device=found, type_=type_, before=before, limit=limit)

        return page(await plane.store.read(read), limit, lambda each: each["cursor"])

    return routes
