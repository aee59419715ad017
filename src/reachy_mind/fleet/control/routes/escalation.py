"""The escalation policy of a tenant."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request

from reachy_mind.fleet.control import audit, escalation_policy
from reachy_mind.fleet.control.addresses import check_url
from reachy_mind.fleet.control.authorization import address_of, admin, viewer
from reachy_mind.fleet.control.escalation_policy import EscalationPolicy
from reachy_mind.fleet.control.operators import Operator
from reachy_mind.fleet.control.plane import ControlPlane
from reachy_mind.fleet.control.store.store import Sql


def router(plane: ControlPlane) -> APIRouter:
    routes = APIRouter(prefix="/fleet/v1/escalation", tags=["emergencies"])

    @routes.get("")
    async def get(operator: Annotated[Operator, Depends(viewer)]) -> dict[str, Any]:
        """Whom emergencies are told, and when. Without secrets; only admins see whole web addresses."""
        policy = await plane.store.read(lambda sql: escalation_policy.of_tenant(sql, operator.tenant))
        return policy.public(whole=operator.may("admin"))

    @routes.put("")
    async def put(
        given: EscalationPolicy, request: Request, operator: Annotated[Operator, Depends(admin)]
    ) -> dict[str, Any]:
        """Another policy. A webhook that is given without `secret` keeps the one that is stored for its address."""
        for webhook in given.webhooks():
            await check_url(webhook.url, plane.webhook_hosts)

        def write(sql: Sql) -> EscalationPolicy:
            about = f"{len(given.steps)} steps, {len(given.webhooks())} webhooks"
            audit.record(sql, operator, "escalation.changed", about, address=address_of(request))
            return escalation_policy.set_policy(sql, operator.tenant, given, by=operator.name)

        policy = await plane.store.write(write)
        await plane.hub.announce(operator.tenant, "escalation")
        return policy.public(whole=True)

    return routes
