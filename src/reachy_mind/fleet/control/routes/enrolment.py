"""Routes of enrolment: codes for new devices, the exchange of a code for a token, a new token for a device."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from pydantic import Field

from reachy_mind.access.rate_limits import RateLimits
from reachy_mind.errors import MindError, TooMany
from reachy_mind.fleet.control import audit, devices, enrolment
from reachy_mind.fleet.control.authorization import (
    ControlAuthentication,
    address_of,
    calling_device,
)
from reachy_mind.fleet.control.authorization import (
    operator as may_operate,
)
from reachy_mind.fleet.control.devices import Device
from reachy_mind.fleet.control.enrolment import Enrolment
from reachy_mind.fleet.control.operators import Operator
from reachy_mind.fleet.control.plane import ControlPlane
from reachy_mind.fleet.control.routes.schemas import (
    After,
    Groups,
    IdPath,
    Limit,
    Name,
    Page,
    RequestBody,
    ResponseModel,
    page,
)
from reachy_mind.fleet.control.store.store import Sql

ROTATIONS_PER_S, ROTATION_BURST = 1 / 60, 3.0
"""Of one device."""


class NewEnrolment(RequestBody):
    name: Name
    groups: Groups = ()


class EnrolmentCode(RequestBody):
    code: Annotated[str, Field(max_length=20, examples=["12345678"], description="Spaces and - are left out")]
    agent: Annotated[str, Field(max_length=200, description="Which program the device runs")] = ""


class EnrolmentAnswer(ResponseModel):
    id: str
    name: str
    groups: tuple[str, ...]
    created_by: str
    created_at: int
    expires_at: int
    used_at: int | None
    device: str | None


class CodeAnswer(ResponseModel):
    id: str
    name: str
    code: str = Field(examples=["12345678"])
    expires_at: int
    url: str = Field(description="Where the device posts the code")
    qr: str = Field(description="What the QR code has: the address and, after #, the code, which browsers don't send")


class EnrolledAnswer(ResponseModel):
    device: str
    name: str
    token: str = Field(description="Shown this once: only a hash of it is kept")
    public_url: str


class TokenAnswer(ResponseModel):
    device: str
    token: str = Field(description="The old one is valid for another day, or until this one was used")


def router(plane: ControlPlane) -> APIRouter:
    routes = APIRouter(prefix="/fleet/v1", tags=["enrolment"])
    rotations = RateLimits(ROTATIONS_PER_S, ROTATION_BURST)

    @routes.post("/enrolments", status_code=201, response_model=CodeAnswer)
    async def create(
        given: NewEnrolment, request: Request, operator: Annotated[Operator, Depends(may_operate)]
    ) -> dict[str, Any]:
        """A one-time code for a new device, valid for ten minutes."""

        def make(sql: Sql) -> tuple[Enrolment, str]:
            made, code = enrolment.create(sql, operator, given.name, given.groups)
            audit.record(sql, operator, "enrolment.created", given.name, address=address_of(request))
            return made, code

        made, code = await plane.store.write(make)
        base = plane.public_url
        links = {"url": f"{base}/fleet/v1/enrol", "qr": f"{base}/enrol#{code}"}
        return {"id": made.id, "name": made.name, "code": code, "expires_at": made.expires_at, **links}

    @routes.get("/enrolments", response_model=Page[EnrolmentAnswer])
    async def list_codes(
        operator: Annotated[Operator, Depends(may_operate)], before: After = "", limit: Limit = 100
    ) -> dict[str, Any]:
        """Codes that were made, the latest first, without the codes themselves."""
        found = await plane.store.read(lambda sql: enrolment.listed(sql, operator.tenant, before=before, limit=limit))
        return page(found, limit, lambda each: each.id)

    @routes.delete("/enrolments/{enrolment_id}", response_model=EnrolmentAnswer)
    async def cancel(
        enrolment_id: IdPath, request: Request, operator: Annotated[Operator, Depends(may_operate)]
    ) -> Enrolment:
        """End a code before it was used."""

        def end(sql: Sql) -> Enrolment:
            ended = enrolment.cancel(sql, operator.tenant, enrolment_id)
            audit.record(sql, operator, "enrolment.cancelled", ended.name, address=address_of(request))
            return ended

        return await plane.store.write(end)

    @routes.post("/enrol", response_model=EnrolledAnswer)
    async def enrol(given: EnrolmentCode, request: Request) -> dict[str, Any]:
        """A device exchanges its code for a token. A code works once; few wrong ones are allowed."""
        authentication: ControlAuthentication = request.app.state.authentication
        code = given.code.replace(" ", "").replace("-", "")
        address = address_of(request)
        outcome = await plane.store.write(lambda sql: enrolment.redeem(sql, code, address, given.agent))
        if isinstance(outcome, MindError):
            await authentication.refused(request, None, outcome)
            raise outcome
        device = outcome.device
        await plane.hub.announce(device.tenant, "enrolled", device=device.id, name=device.name)
        about = {"device": device.id, "name": device.name}
        return about | {"token": outcome.token, "public_url": plane.public_url}

    @routes.post("/device/token", response_model=TokenAnswer, tags=["devices' side"])
    async def rotate(request: Request, device: Annotated[Device, Depends(calling_device)]) -> dict[str, Any]:
        """A new token for the device that calls."""
        if not rotations.of(device.id).allows():
            raise TooMany("too many new tokens", hint="wait a minute")

        def make(sql: Sql) -> str:
            audit.record(sql, device, "device.token_rotated", device.name, address=address_of(request))
            return devices.new_token(sql, device.id)

        return {"device": device.id, "token": await plane.store.write(make)}

    return routes
