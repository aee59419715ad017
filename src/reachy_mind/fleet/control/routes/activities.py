"""Activities of several devices together: a story, music, exercise, dance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Request
from pydantic import Field

from reachy_mind.errors import InvalidParameter
from reachy_mind.fleet.activities.payloads import ActivityKind, PrepareActivity
from reachy_mind.fleet.control import activities, audit, rollouts
from reachy_mind.fleet.control.activities import OnEmergency
from reachy_mind.fleet.control.activity_content import ActivityContent, compile_parts
from reachy_mind.fleet.control.authorization import address_of, viewer
from reachy_mind.fleet.control.authorization import operator as may_operate
from reachy_mind.fleet.control.operators import Operator
from reachy_mind.fleet.control.plane import ControlPlane
from reachy_mind.fleet.control.routes.schemas import After, IdPath, Limit, Name, Page, RequestBody, ResponseModel, page
from reachy_mind.fleet.control.store.store import Sql

EMERGENCY_TEXT = "We stop here: somebody needs help."
DeviceNames = Annotated[list[Annotated[str, Field(max_length=80)]], Field(min_length=1, max_length=1000)]
ParticipantState = Literal["preparing", "ready", "playing", "finished", "failed", "left"]


class NewActivity(RequestBody):
    """For a `group` or for `devices`."""

    kind: ActivityKind
    group: Name | None = None
    devices: DeviceNames | None = None
    content: ActivityContent
    quorum: Annotated[int, Field(ge=1, le=1000)] | None = Field(
        default=None, description="It starts when so many are ready; without one, when all are that are online"
    )
    deadline_s: Annotated[float, Field(ge=1, le=300)] = Field(
        default=20.0, description="Then it starts with those that are ready"
    )
    on_emergency: OnEmergency = Field(
        default="end",
        description="What an emergency of a participant does: `end` it for its group, `pause` it for all, `ignore` it",
    )
    emergency_text: Annotated[str, Field(max_length=300)] = EMERGENCY_TEXT


class WhoLeaves(RequestBody):
    """Without `devices` it ends for all."""

    devices: DeviceNames | None = None


class ParticipantCounts(ResponseModel):
    """How many devices are in each state."""

    preparing: int = Field(description="After the start: those that were left out, and may still join")
    ready: int
    playing: int
    finished: int
    failed: int
    left: int


class ActivityAnswer(ResponseModel):
    id: str
    kind: ActivityKind
    state: Literal["preparing", "ready", "running", "paused", "ended"]
    reason: str
    group: str | None
    parts: int
    quorum: int | None
    deadline_at: int
    at: int | None = Field(
        description="When its timeline stands, or stood, at `position_ms`, by the control plane's clock"
    )
    position_ms: int
    duration_ms: int | None = Field(description="Known when it starts")
    on_emergency: OnEmergency
    counts: ParticipantCounts
    created_at: int
    created_by: str
    changed_at: int


class Participant(ResponseModel):
    device: str
    name: str
    state: ParticipantState
    reason: str = Field(description="Why it was left out, failed or left")
    online: bool
    changed_at: int


class ActivityWithDevices(ActivityAnswer):
    devices: list[Participant]


def router(plane: ControlPlane) -> APIRouter:
    routes = APIRouter(prefix="/fleet/v1/activities", tags=["activities"])

    async def change(
        operator: Operator, request: Request, activity: str, action: str, operation: Callable[[Sql], list[str]]
    ) -> dict[str, Any]:
        """Do it, with its audit; wake the devices it returns; tell the page. The activity as it is then."""

        def write(sql: Sql) -> tuple[list[str], dict[str, Any]]:
            woken = operation(sql)
            about = f"{activity}, {len(woken)} devices"
            audit.record(sql, operator, f"activity.{action}", about, address=address_of(request))
            return woken, activities.get(sql, operator.tenant, activity)

        woken, now = await plane.store.write(write)
        for device in woken:
            await plane.hub.wake(device, "command")
        await plane.hub.announce(operator.tenant, "activity", id=activity)
        return now

    @routes.post("", status_code=201, response_model=ActivityWithDevices)
    async def create(
        given: NewActivity, request: Request, operator: Annotated[Operator, Depends(may_operate)]
    ) -> dict[str, Any]:
        """Ask devices to get ready for an activity; it starts by itself when they are."""
        if (given.group is None) == (given.devices is None):
            raise InvalidParameter("an activity is for a group or for devices", hint="give one of the two")
        activity = activities.new_id()

        def begin(sql: Sql) -> list[str]:
            if given.devices is not None:
                chosen = rollouts.named_devices(sql, operator.tenant, given.devices)
            else:
                chosen = rollouts.all_devices(sql, operator.tenant, given.group)
            parts = compile_parts(sql, operator.tenant, given.kind, given.content)
            return activities.create(
                sql,
                operator.tenant,
                chosen,
                PrepareActivity(activity=activity, kind=given.kind, parts=parts, language=given.content.language),
                group=given.group,
                quorum=given.quorum,
                deadline_s=given.deadline_s,
                on_emergency=given.on_emergency,
                emergency_text=given.emergency_text,
                by=operator.name,
            )

        return await change(operator, request, activity, "created", begin)

    @routes.get("", response_model=Page[ActivityAnswer])
    async def list_activities(
        operator: Annotated[Operator, Depends(viewer)], before: After = "", limit: Limit = 50
    ) -> dict[str, Any]:
        """The latest first."""
        found = await plane.store.read(lambda sql: activities.listed(sql, operator.tenant, before=before, limit=limit))
        return page(found, limit, lambda each: each["id"])

    @routes.get("/{activity}", response_model=ActivityWithDevices)
    async def get_activity(activity: IdPath, operator: Annotated[Operator, Depends(viewer)]) -> dict[str, Any]:
        """With its devices: who takes part, who was left out or failed, and why."""
        return await plane.store.read(lambda sql: activities.get(sql, operator.tenant, activity))

    @routes.post("/{activity}/pause", response_model=ActivityWithDevices)
    async def pause(
        activity: IdPath, request: Request, operator: Annotated[Operator, Depends(may_operate)]
    ) -> dict[str, Any]:
        """All devices fall silent at the same time, about half a second later."""
        who = (operator, request, activity)
        return await change(
            *who, "paused", lambda sql: activities.pause(sql, operator.tenant, activity, by=operator.name)
        )

    @routes.post("/{activity}/resume", response_model=ActivityWithDevices)
    async def resume(
        activity: IdPath, request: Request, operator: Annotated[Operator, Depends(may_operate)]
    ) -> dict[str, Any]:
        """All go on at the same time, where they stopped."""
        who = (operator, request, activity)
        return await change(
            *who, "resumed", lambda sql: activities.resume(sql, operator.tenant, activity, by=operator.name)
        )

    @routes.post("/{activity}/end", response_model=ActivityWithDevices)
    async def end(
        activity: IdPath,
        request: Request,
        operator: Annotated[Operator, Depends(may_operate)],
        given: WhoLeaves | None = None,
    ) -> dict[str, Any]:
        """End it for all, at once; or let some `devices` leave, which the others do not notice."""
        named = given.devices if given is not None else None

        def leave(sql: Sql) -> list[str]:
            tenant = operator.tenant
            chosen = rollouts.named_devices(sql, tenant, named) if named is not None else None
            return activities.end(sql, tenant, activity, by=operator.name, devices=chosen)

        return await change(operator, request, activity, "ended" if named is None else "left", leave)

    return routes
