"""Rollouts of personalities."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Request
from pydantic import Field

from reachy_mind.errors import InvalidParameter
from reachy_mind.fleet.control import audit, rollout_progress, rollouts, twins
from reachy_mind.fleet.control.authorization import address_of, viewer
from reachy_mind.fleet.control.authorization import operator as may_operate
from reachy_mind.fleet.control.operators import Operator
from reachy_mind.fleet.control.plane import ControlPlane
from reachy_mind.fleet.control.routes.schemas import After, IdPath, Limit, Name, Page, RequestBody, ResponseModel, page
from reachy_mind.fleet.control.store.store import Sql

DeviceState = Literal["waiting", "sent", "applied", "failed", "replaced", "rolled_back"]


class NewRollout(RequestBody):
    """A personality for a `group`, for `devices`, or for `all`."""

    persona: Annotated[str, Field(max_length=64)]
    etag: Annotated[str, Field(max_length=64, description="The latest version without one")] | None = None
    group: Name | None = None
    devices: Annotated[list[Annotated[str, Field(max_length=80)]], Field(min_length=1, max_length=1000)] | None = None
    all: bool = False
    wave_size: Annotated[int, Field(ge=1, le=10_000, description="How many devices get it at the same time")] = 10
    max_failures: Annotated[int, Field(ge=0, le=10_000, description="More of them pause the rollout")] = 0
    transition_message: Annotated[str, Field(max_length=twins.MAX_TRANSITION_CHARS)] | None = Field(
        None, description="What a device says when it has it; empty: nothing; without one, the greeting"
    )


class RolloutCounts(ResponseModel):
    """How many devices are in each state."""

    waiting: int
    sent: int
    offline: int = Field(description="Those of `sent` that get it when they connect")
    applied: int
    failed: int
    replaced: int = Field(description="Somebody asked for another personality since")
    rolled_back: int


class RolloutAnswer(ResponseModel):
    id: str
    persona: str
    etag: str
    state: Literal["running", "paused", "done", "rolled_back"]
    reason: str
    wave_size: int
    max_failures: int
    wave: int = Field(description="The last one that was begun")
    waves: int
    counts: RolloutCounts
    created_at: int
    created_by: str
    changed_at: int
    transition_message: str | None


class RolloutDeviceAnswer(ResponseModel):
    device: str
    name: str
    wave: int
    state: DeviceState
    error: str
    changed_at: int


def router(plane: ControlPlane) -> APIRouter:
    routes = APIRouter(prefix="/fleet/v1/rollouts", tags=["rollouts"])

    async def change(
        operator: Operator, request: Request, rollout: str, action: str, operation: Callable[[Sql], list[str] | None]
    ) -> dict[str, Any]:
        """Do it, with its audit; wake the devices it returns; tell the page. The rollout as it is then."""

        def write(sql: Sql) -> tuple[list[str], dict[str, Any]]:
            woken = operation(sql) or []
            audit.record(sql, operator, f"rollout.{action}", rollout, address=address_of(request))
            return woken, rollouts.get(sql, operator.tenant, rollout)

        woken, now = await plane.store.write(write)
        for device in woken:
            await plane.hub.wake(device, "twin")
        await plane.hub.announce(operator.tenant, "rollout", id=rollout)
        return now

    @routes.post("", status_code=201, response_model=RolloutAnswer)
    async def create(
        given: NewRollout, request: Request, operator: Annotated[Operator, Depends(may_operate)]
    ) -> dict[str, Any]:
        """Begin a rollout; the first wave is sent within a second."""
        if (given.group is not None) + (given.devices is not None) + given.all != 1:
            raise InvalidParameter("a rollout is for a group, for devices, or for all", hint="give one of the three")

        def begin(sql: Sql) -> dict[str, Any]:
            if given.devices is not None:
                chosen = rollouts.named_devices(sql, operator.tenant, given.devices)
            else:
                chosen = rollouts.all_devices(sql, operator.tenant, given.group)
            rollout = rollouts.create(
                sql,
                operator.tenant,
                chosen,
                persona=given.persona,
                etag=given.etag,
                wave_size=given.wave_size,
                max_failures=given.max_failures,
                by=operator.name,
                transition_message=given.transition_message,
            )
            about = f"{rollout} {given.persona}, {len(chosen)} devices"
            audit.record(sql, operator, "rollout.created", about, address=address_of(request))
            return rollouts.get(sql, operator.tenant, rollout)

        made = await plane.store.write(begin)
        await plane.hub.announce(operator.tenant, "rollout", id=made["id"])
        return made

    @routes.get("", response_model=Page[RolloutAnswer])
    async def list_rollouts(
        operator: Annotated[Operator, Depends(viewer)], before: After = "", limit: Limit = 50
    ) -> dict[str, Any]:
        """The latest first."""
        found = await plane.store.read(lambda sql: rollouts.listed(sql, operator.tenant, before=before, limit=limit))
        return page(found, limit, lambda each: each["id"])

    @routes.get("/{rollout}", response_model=RolloutAnswer)
    async def get_rollout(rollout: IdPath, operator: Annotated[Operator, Depends(viewer)]) -> dict[str, Any]:
        """With how many of its devices are in each state."""
        return await plane.store.read(lambda sql: rollouts.get(sql, operator.tenant, rollout))

    @routes.get("/{rollout}/devices", response_model=Page[RolloutDeviceAnswer])
    async def list_devices(
        rollout: IdPath,
        operator: Annotated[Operator, Depends(viewer)],
        state: DeviceState | None = None,
        after: After = "",
        limit: Limit = 100,
    ) -> dict[str, Any]:
        """Its devices by name, each with its state, and the error where it failed."""

        def read(sql: Sql) -> list[dict[str, Any]]:
            rollouts.get(sql, operator.tenant, rollout)
            return rollout_progress.devices_of(sql, operator.tenant, rollout, state=state, after=after, limit=limit)

        return page(await plane.store.read(read), limit, lambda each: each["name"])

    @routes.post("/{rollout}/pause", response_model=RolloutAnswer)
    async def pause(
        rollout: IdPath, request: Request, operator: Annotated[Operator, Depends(may_operate)]
    ) -> dict[str, Any]:
        """Send no more waves."""
        who = (operator, request, rollout)
        return await change(*who, "paused", lambda sql: rollouts.pause(sql, operator.tenant, rollout, by=operator.name))

    @routes.post("/{rollout}/resume", response_model=RolloutAnswer)
    async def resume(
        rollout: IdPath, request: Request, operator: Annotated[Operator, Depends(may_operate)]
    ) -> dict[str, Any]:
        """Go on, and try again where it failed."""
        who = (operator, request, rollout)
        return await change(*who, "resumed", lambda sql: rollouts.resume(sql, operator.tenant, rollout))

    @routes.post("/{rollout}/end", response_model=RolloutAnswer)
    async def end(
        rollout: IdPath, request: Request, operator: Annotated[Operator, Depends(may_operate)]
    ) -> dict[str, Any]:
        """Leave it as it is: devices that wait don't get it any more."""
        who = (operator, request, rollout)
        return await change(*who, "ended", lambda sql: rollouts.end(sql, operator.tenant, rollout, by=operator.name))

    @routes.post("/{rollout}/rollback", response_model=RolloutAnswer)
    async def roll_back(
        rollout: IdPath, request: Request, operator: Annotated[Operator, Depends(may_operate)]
    ) -> dict[str, Any]:
        """Give every device its personality of before, unless it should have another one by now."""
        who = (operator, request, rollout)
        return await change(
            *who, "rolled_back", lambda sql: rollouts.roll_back(sql, operator.tenant, rollout, by=operator.name)
        )

    return routes
