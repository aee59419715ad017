"""Which personalities the buttons of devices may ask for."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from pydantic import Field

from reachy_mind.errors import InvalidParameter
from reachy_mind.fleet.control import audit, persona_policy
from reachy_mind.fleet.control.authorization import address_of, admin, viewer
from reachy_mind.fleet.control.operators import Operator
from reachy_mind.fleet.control.persona_policy import PersonaPolicy, PolicyKind
from reachy_mind.fleet.control.plane import ControlPlane
from reachy_mind.fleet.control.routes.schemas import Name, RequestBody, ResponseModel
from reachy_mind.fleet.control.store.store import Sql

PersonaName = Annotated[str, Field(max_length=64)]


class PersonaPolicyChange(RequestBody):
    """For all devices, or for a `group`, or for a `device`."""

    personas: Annotated[list[PersonaName], Field(max_length=persona_policy.MAX_PERSONAS)] | None = Field(
        description="What a button may ask for; empty: nothing; null: as if nobody had said anything",
        examples=[["emergency", "companion"]],
    )
    group: Name | None = None
    device: Annotated[str, Field(max_length=80, description="Id or name")] | None = None


class PersonaPolicyAnswer(ResponseModel):
    personas: list[str] = Field(description="For all devices without another policy")
    groups: dict[str, list[str]]
    devices: dict[str, list[str]] = Field(description="By the id of the device")


def router(plane: ControlPlane) -> APIRouter:
    routes = APIRouter(prefix="/fleet/v1/persona-policy", tags=["personas"])

    @routes.get("", response_model=PersonaPolicyAnswer)
    async def get(operator: Annotated[Operator, Depends(viewer)]) -> PersonaPolicy:
        """What the buttons of devices may ask for."""
        return await plane.store.read(lambda sql: persona_policy.of_tenant(sql, operator.tenant))

    @routes.put("", response_model=PersonaPolicyAnswer)
    async def put(
        given: PersonaPolicyChange, request: Request, operator: Annotated[Operator, Depends(admin)]
    ) -> PersonaPolicy:
        """Change it. A press that asks for something else is stored, and changes nothing."""
        if given.group is not None and given.device is not None:
            raise InvalidParameter("this is for a group or for a device", hint="give one of the two, or none")
        kind: PolicyKind = "group" if given.group is not None else "device" if given.device is not None else "tenant"
        name = given.group or given.device or ""

        def write(sql: Sql) -> PersonaPolicy:
            words = persona_policy.set_policy(sql, operator.tenant, kind, name, given.personas, by=operator.name)
            allowed = "as usual" if given.personas is None else ", ".join(given.personas) or "nothing"
            audit.record(sql, operator, "persona_policy.changed", f"{words}: {allowed}", address=address_of(request))
            return persona_policy.of_tenant(sql, operator.tenant)

        return await plane.store.write(write)

    return routes
