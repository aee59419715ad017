"""Routes of the audit: what was done by whom, and whether the record of it is whole."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from pydantic import Field

from reachy_mind.fleet.control import audit
from reachy_mind.fleet.control.audit import FleetAuditVerification
from reachy_mind.fleet.control.authorization import admin
from reachy_mind.fleet.control.operators import Operator
from reachy_mind.fleet.control.plane import ControlPlane
from reachy_mind.fleet.control.routes.schemas import Limit, Page, ResponseModel, page


class AuditAnswer(ResponseModel):
    seq: int
    at: int
    actor: str = Field(examples=["ada (0123456789ab)"])
    action: str = Field(examples=["device.revoked"])
    object: str
    outcome: str
    address: str


class VerificationAnswer(ResponseModel):
    whole: bool
    first_broken: int | None = Field(description="Number of the first row that is not what was written")


def router(plane: ControlPlane) -> APIRouter:
    routes = APIRouter(prefix="/fleet/v1", tags=["audit"])

    @routes.get("/audit", response_model=Page[AuditAnswer])
    async def list_audit(
        operator: Annotated[Operator, Depends(admin)],
        before: Annotated[int | None, Query(ge=1, le=1 << 53)] = None,
        limit: Limit = 100,
    ) -> dict[str, Any]:
        """What was done in this tenant, the latest first. Refused requests of unknown callers are shown to the role
        platform."""
        tenants = (operator.tenant, "") if operator.role == "platform" else (operator.tenant,)
        found = await plane.store.read(lambda sql: audit.listed(sql, tenants, before=before, limit=limit))
        return page(found, limit, lambda each: each["seq"])

    @routes.get("/audit/verify", response_model=VerificationAnswer)
    async def verify(_: Annotated[Operator, Depends(admin)]) -> dict[str, Any]:
        """Whether each row still has its hash and that of the row before it."""
        found = FleetAuditVerification()
        while not found.complete and found.broken is None:
            found = await plane.store.read(lambda sql, found=found: audit.verify(sql, found))  # type: ignore[misc]
        return {"whole": found.complete, "first_broken": found.broken}

    return routes
