"""Routes of devices: which there are, how they are, names and groups, revocation."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from pydantic import Field

from reachy_mind.fleet.control import audit, device_search, device_status, devices, erasure, groups
from reachy_mind.fleet.control.authorization import address_of, admin, viewer
from reachy_mind.fleet.control.authorization import operator as may_operate
from reachy_mind.fleet.control.device_search import DeviceCounts, DeviceSearch, Problem, SeenState
from reachy_mind.fleet.control.operators import Operator
from reachy_mind.fleet.control.plane import ControlPlane
from reachy_mind.fleet.control.routes.schemas import (
    After,
    DevicePath,
    Groups,
    Limit,
    Name,
    Page,
    RequestBody,
    ResponseModel,
    page,
)
from reachy_mind.fleet.control.store.store import Sql


class DeviceChange(RequestBody):
    """What is left out stays."""

    name: Name | None = None
    groups: Groups | None = Field(None, description="All groups of the device")


class TwinSummary(ResponseModel):
    in_sync: bool
    desired_version: int
    reported_version: int | None
    persona: str | None
    desired_persona: str | None
    errors: dict[str, str]


class DeviceAnswer(ResponseModel):
    """Times are milliseconds since 1970."""

    id: str = Field(examples=["0123456789ab"])
    name: str = Field(examples=["kitchen"])
    groups: tuple[str, ...]
    created_at: int
    revoked_at: int | None
    agent: str
    caps: tuple[str, ...]
    online: bool
    node: str | None
    transport: str | None
    connected_at: int | None
    last_seen_at: int | None
    heartbeat: dict[str, Any] | None
    trouble: list[str] = Field(description="What its heartbeat tells: battery, hot, error")
    error: str = Field(description="The last one that it reported")
    error_at: int | None = Field(description="By its own clock")
    waiting: int = Field(description="Commands that it does not have yet")
    twin: TwinSummary


class DeviceCountsAnswer(ResponseModel):
    devices: int
    online: int
    problems: int
    emergencies: int
    states: dict[str, int] = Field(description="Of those online, what they do; the most frequent ones")
    personas: dict[str, int] = Field(description="Which personality they should have; - is none")


class GroupAnswer(ResponseModel):
    name: str
    devices: int


def _search(
    search: Annotated[str, Query(max_length=64, description="Part of a name, or the beginning of an id")] = "",
    group: Annotated[str | None, Query(max_length=64)] = None,
    state: Annotated[SeenState | None, Query(description="online, offline, or what it is doing")] = None,
    persona: Annotated[str | None, Query(max_length=64, description="That it should have; - for none")] = None,
    problem: Annotated[Problem | None, Query(description="any of them, or one")] = None,
    revoked: Annotated[bool, Query(description="Whether revoked ones count, too")] = False,
) -> DeviceSearch:
    return DeviceSearch(search, group, state, persona, problem, revoked)


def router(plane: ControlPlane) -> APIRouter:
    routes = APIRouter(prefix="/fleet/v1", tags=["devices"])

    @routes.get("/devices", response_model=Page[DeviceAnswer])
    async def list_devices(
        operator: Annotated[Operator, Depends(viewer)],
        wanted: Annotated[DeviceSearch, Depends(_search)],
        after: After = "",
        limit: Limit = 100,
    ) -> dict[str, Any]:
        """The devices of this tenant that fit, by name."""

        def read(sql: Sql) -> list[dict[str, Any]]:
            found = device_search.page(sql, operator.tenant, wanted, after=after, limit=limit)
            return [device_status.public(each) for each in device_status.of(sql, found)]

        return page(await plane.store.read(read), limit, lambda each: each["name"])

    @routes.get("/device-counts", response_model=DeviceCountsAnswer)
    async def count_devices(
        operator: Annotated[Operator, Depends(viewer)], wanted: Annotated[DeviceSearch, Depends(_search)]
    ) -> DeviceCounts:
        """How many devices fit, how many of them are online, do what, have which personality, or have a problem."""
        return await plane.store.read(lambda sql: device_search.counts(sql, operator.tenant, wanted))

    @routes.get("/devices/{device}", response_model=DeviceAnswer)
    async def get_device(device: DevicePath, operator: Annotated[Operator, Depends(viewer)]) -> dict[str, Any]:
        """A device by its id or name."""
        return await plane.store.read(lambda sql: _described(sql, operator.tenant, device))

    @routes.patch("/devices/{device}", response_model=DeviceAnswer)
    async def change_device(
        device: DevicePath, given: DeviceChange, request: Request, operator: Annotated[Operator, Depends(may_operate)]
    ) -> dict[str, Any]:
        """Rename a device, or put it into other groups."""

        def change(sql: Sql) -> dict[str, Any]:
            found = devices.get(sql, operator.tenant, device)
            address = address_of(request)
            if given.name is not None and given.name != found.name:
                devices.rename(sql, found, given.name)
                audit.record(sql, operator, "device.renamed", f"{found.name} to {given.name}", address=address)
            if given.groups is not None:
                devices.set_groups(sql, operator.tenant, found.id, given.groups)
                about = f"{found.name}: {', '.join(given.groups)}"
                audit.record(sql, operator, "device.groups_changed", about, address=address)
            return _described(sql, operator.tenant, found.id)

        changed = await plane.store.write(change)
        await plane.hub.announce(operator.tenant, "device", device=changed["id"])
        return changed

    @routes.delete("/devices/{device}", response_model=DeviceAnswer)
    async def revoke_device(
        device: DevicePath, request: Request, operator: Annotated[Operator, Depends(admin)]
    ) -> dict[str, Any]:
        """Refuse a device for ever: its connection is closed, its tokens are void, its name is free again."""

        def revoke(sql: Sql) -> dict[str, Any]:
            found = devices.get(sql, operator.tenant, device)
            if found.revoked_at is None:
                devices.revoke(sql, found)
                audit.record(sql, operator, "device.revoked", f"{found.name} ({found.id})", address=address_of(request))
            return _described(sql, operator.tenant, found.id)

        revoked = await plane.store.write(revoke)
        await plane.hub.wake(revoked["id"], "revoked")
        await plane.hub.announce(operator.tenant, "device", device=revoked["id"])
        return revoked

    @routes.post("/devices/{device}/erase", response_model=DeviceAnswer)
    async def erase_device(
        device: DevicePath, request: Request, operator: Annotated[Operator, Depends(admin)]
    ) -> dict[str, Any]:
        """Revoke a device and remove what it sent and was sent, its emergencies, sounds and state: for ever."""

        def erase(sql: Sql) -> dict[str, Any]:
            found = devices.get(sql, operator.tenant, device)
            erasure.erase(sql, found)
            audit.record(sql, operator, "device.erased", found.id, address=address_of(request))
            return _described(sql, operator.tenant, found.id)

        erased = await plane.store.write(erase)
        await plane.hub.wake(erased["id"], "revoked")
        await plane.hub.announce(operator.tenant, "device", device=erased["id"])
        return erased

    @routes.get("/groups", response_model=Page[GroupAnswer])
    async def list_groups(
        operator: Annotated[Operator, Depends(viewer)], after: After = "", limit: Limit = 100
    ) -> dict[str, Any]:
        """The groups of this tenant, by name."""
        found = await plane.store.read(lambda sql: groups.listed(sql, operator.tenant, after=after, limit=limit))
        return page(found, limit, lambda each: each.name)

    return routes


def _described(sql: Sql, tenant: str, which: str) -> dict[str, Any]:
    return device_status.public(device_status.of(sql, [devices.get(sql, tenant, which)])[0])
