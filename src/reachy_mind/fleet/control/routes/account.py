"""Routes of those who may steer devices: operators and their keys, tenants."""

from __future__ import annotations

from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Request
from pydantic import Field

from reachy_mind.access.authorization import NotAllowed
from reachy_mind.fleet.control import audit, built_in_personas, operators, tenants
from reachy_mind.fleet.control.authorization import address_of, admin, platform
from reachy_mind.fleet.control.operators import Operator, OperatorKey, Role
from reachy_mind.fleet.control.plane import ControlPlane
from reachy_mind.fleet.control.routes.login import Identity
from reachy_mind.fleet.control.routes.schemas import After, IdPath, Limit, Name, Page, RequestBody, ResponseModel, page
from reachy_mind.fleet.control.store.store import Sql
from reachy_mind.fleet.control.tenants import Tenant

MAX_DAYS: Final = 3650


class NewOperator(RequestBody):
    name: Name
    role: Role = "viewer"
    days: (
        Annotated[float, Field(gt=0, le=MAX_DAYS, description="How long the key is valid; null: until revoked")] | None
    ) = None
    tenant: Name | None = Field(None, description="Id or name of another tenant: for the role platform only")


class NewTenant(RequestBody):
    name: Name


class OperatorAnswer(Identity):
    created_at: int
    expires_at: int | None
    revoked_at: int | None
    last_used_at: int | None


class NewKey(ResponseModel):
    operator: OperatorAnswer
    key: str = Field(description="Shown this once: only a hash of it is kept")


class TenantAnswer(ResponseModel):
    id: str
    name: str
    created_at: int


def router(plane: ControlPlane) -> APIRouter:
    routes = APIRouter(prefix="/fleet/v1", tags=["account"])

    @routes.get("/operators", response_model=Page[OperatorAnswer])
    async def list_operators(
        operator: Annotated[Operator, Depends(admin)], after: After = "", limit: Limit = 100
    ) -> dict[str, Any]:
        """The operators of this tenant, by name, also the revoked ones."""
        found = await plane.store.read(lambda sql: operators.listed(sql, operator.tenant, after=after, limit=limit))
        return page(found, limit, lambda each: each.name)

    @routes.post("/operators", status_code=201, response_model=NewKey)
    async def add_operator(
        given: NewOperator, request: Request, operator: Annotated[Operator, Depends(admin)]
    ) -> dict[str, Any]:
        """A new operator with a key. Nobody makes one with a higher role than their own."""
        if not operator.may(given.role) or (given.tenant is not None and operator.role != "platform"):
            raise NotAllowed("this operator needs a higher role than yours", hint="ask who runs the control plane")

        def add(sql: Sql) -> tuple[OperatorKey, str]:
            tenant = tenants.get(sql, given.tenant).id if given.tenant is not None else operator.tenant
            made, key = operators.add(sql, tenant, given.name, given.role, days=given.days)
            about = f"{made.name} ({made.id}), {made.role}" + (f" of {tenant}" if tenant != operator.tenant else "")
            audit.record(sql, operator, "operator.added", about, address=address_of(request))
            return made, key

        made, key = await plane.store.write(add)
        return {"operator": made, "key": key}

    @routes.delete("/operators/{which}", response_model=OperatorAnswer)
    async def revoke_operator(
        which: IdPath, request: Request, operator: Annotated[Operator, Depends(admin)]
    ) -> OperatorKey:
        """Refuse a key from now on, and end its logins."""

        def revoke(sql: Sql) -> OperatorKey:
            revoked = operators.revoke(sql, operator, which)
            audit.record(sql, operator, "operator.revoked", revoked.name, address=address_of(request))
            return revoked

        return await plane.store.write(revoke)

    @routes.get("/tenants", response_model=Page[TenantAnswer])
    async def list_tenants(
        _: Annotated[Operator, Depends(platform)], after: After = "", limit: Limit = 100
    ) -> dict[str, Any]:
        """All tenants by name."""
        found = await plane.store.read(lambda sql: tenants.listed(sql, after=after, limit=limit))
        return page(found, limit, lambda each: each.name)

    @routes.post("/tenants", status_code=201, response_model=TenantAnswer)
    async def add_tenant(
        given: NewTenant, request: Request, operator: Annotated[Operator, Depends(platform)]
    ) -> Tenant:
        """A new tenant; make its first operator next."""

        def add(sql: Sql) -> Tenant:
            made = tenants.add(sql, given.name)
            built_in_personas.ensure(sql, made.id)
            audit.record(sql, operator, "tenant.added", f"{made.name} ({made.id})", address=address_of(request))
            return made

        return await plane.store.write(add)

    return routes
