"""Emergencies: seen, acknowledged and closed by people."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Request
from pydantic import Field

from reachy_mind.fleet.control import audit, devices, emergencies
from reachy_mind.fleet.control.authorization import address_of, viewer
from reachy_mind.fleet.control.authorization import operator as may_operate
from reachy_mind.fleet.control.operators import Operator
from reachy_mind.fleet.control.plane import ControlPlane
from reachy_mind.fleet.control.routes.schemas import IdPath, Limit, Page, RequestBody, ResponseModel, page
from reachy_mind.fleet.control.store.store import Row, Sql

EmergencyState = Literal["open", "acknowledged", "closed"]
EmergencyCursor = Annotated[
    str, Query(pattern=r"^(\d{1,15}:[0-9A-Za-z_-]{1,64})?$", description="The `next` of the page before")
]


class Acknowledgement(RequestBody):
    """What the person who answers has to say; the device says it."""

    note: Annotated[str, Field(max_length=emergencies.MAX_NOTE_CHARS, examples=["I am on my way"])] = ""


class EmergencyTest(RequestBody):
    """The device that a test is about."""

    device: Annotated[str, Field(max_length=80, description="Id or name")]


class EmergencyAnswer(ResponseModel):
    """Times are milliseconds since 1970."""

    id: str
    device: str
    device_name: str
    state: EmergencyState
    test: bool
    pressed_at: int = Field(description="By the device's clock")
    received_at: int
    presses: int
    last_press_at: int
    message: str
    level: int = Field(description="How often it was told")
    next_at: int | None = Field(description="When it is told the next time")
    acked_at: int | None
    acked_by: str | None
    closed_at: int | None
    closed_by: str | None
    note: str


class NoticeAnswer(ResponseModel):
    level: int
    channel: str
    target: str
    at: int
    outcome: str


class EmergencyWithNotices(EmergencyAnswer):
    notices: list[NoticeAnswer] = Field(description="Whom it was told, the latest first")


def router(plane: ControlPlane) -> APIRouter:
    routes = APIRouter(prefix="/fleet/v1/emergencies", tags=["emergencies"])

    @routes.get("", response_model=Page[EmergencyAnswer])
    async def list_emergencies(
        operator: Annotated[Operator, Depends(viewer)],
        state: EmergencyState | None = None,
        device: Annotated[str | None, Query(max_length=64, description="Id of a device")] = None,
        before: EmergencyCursor = "",
        limit: Limit = 50,
    ) -> dict[str, Any]:
        """The latest first."""
        found = await plane.store.read(
            lambda sql: emergencies.listed(sql, operator.tenant, state=state, device=device, before=before, limit=limit)
        )
        return page(found, limit, lambda each: each["cursor"])

    @routes.get("/{emergency}", response_model=EmergencyWithNotices)
    async def get_emergency(emergency: IdPath, operator: Annotated[Operator, Depends(viewer)]) -> dict[str, Any]:
        """With whom it was told, when, and with what outcome."""
        return await plane.store.read(lambda sql: emergencies.get(sql, operator.tenant, emergency))

    @routes.post("/test", status_code=201, response_model=EmergencyWithNotices)
    async def test(
        given: EmergencyTest, request: Request, operator: Annotated[Operator, Depends(may_operate)]
    ) -> dict[str, Any]:
        """An emergency that is a test: it goes through all channels, with the word TEST, until it is acknowledged."""

        def begin(sql: Sql) -> dict[str, Any]:
            device = devices.get(sql, operator.tenant, given.device)
            emergency = emergencies.begin_test(sql, device, by=operator.name)
            audit.record(sql, operator, "emergency.tested", f"{emergency} {device.id}", address=address_of(request))
            return emergencies.get(sql, operator.tenant, emergency)

        made = await plane.store.write(begin)
        await plane.hub.announce(operator.tenant, "emergency", id=made["id"], device=made["device"], type="test")
        return made

    @routes.post("/{emergency}/acknowledge", response_model=EmergencyAnswer)
    async def acknowledge(
        emergency: IdPath,
        answer: Acknowledgement,
        request: Request,
        operator: Annotated[Operator, Depends(may_operate)],
    ) -> dict[str, Any]:
        """Somebody takes care: nobody else is told any more, and the device learns of it. Once."""

        def write(sql: Sql) -> Row:
            row = emergencies.acknowledge(sql, operator.tenant, emergency, by=operator.name, note=answer.note)
            audit.record(sql, operator, "emergency.acknowledged", emergency, address=address_of(request))
            return row

        row = await plane.store.write(write)
        await plane.hub.wake(row["device"], "command")
        await plane.hub.announce(operator.tenant, "emergency", id=emergency, device=row["device"], type="acknowledged")
        return emergencies.public(row)

    @routes.post("/{emergency}/close", response_model=EmergencyAnswer)
    async def close(
        emergency: IdPath, request: Request, operator: Annotated[Operator, Depends(may_operate)]
    ) -> dict[str, Any]:
        """It is over: the device gets the personality back that it had before."""

        def write(sql: Sql) -> Row:
            row = emergencies.close(sql, operator.tenant, emergency, by=operator.name)
            audit.record(sql, operator, "emergency.closed", emergency, address=address_of(request))
            return row

        row = await plane.store.write(write)
        await plane.hub.wake(row["device"], "twin")
        await plane.hub.announce(operator.tenant, "emergency", id=emergency, device=row["device"], type="closed")
        return emergencies.public(row)

    return routes
