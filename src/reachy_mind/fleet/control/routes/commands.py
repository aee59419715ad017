"""Routes of commands: for a device, for a group, and how far they are."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from pydantic import Field

from reachy_mind.errors import InvalidParameter
from reachy_mind.fleet.control import audit, commands, devices, downlink, groups
from reachy_mind.fleet.control.authorization import address_of, viewer
from reachy_mind.fleet.control.authorization import operator as may_operate
from reachy_mind.fleet.control.commands import CommandState
from reachy_mind.fleet.control.devices import NotInTenant
from reachy_mind.fleet.control.operators import Operator
from reachy_mind.fleet.control.plane import ControlPlane
from reachy_mind.fleet.control.routes.schemas import (
    After,
    DevicePath,
    GroupPath,
    IdPath,
    Limit,
    Page,
    RequestBody,
    ResponseModel,
    page,
)
from reachy_mind.fleet.control.store.store import Sql
from reachy_mind.fleet.protocol.frame import Frame, Type, now_ms
from reachy_mind.fleet.protocol.message_ids import uuid7

MAX_REFUSED = 100
"""Devices of a group that are named when they can't take a command."""
CommandId = Annotated[str, Field(pattern=r"^[0-9A-Za-z_-]{1,48}$", description="Repeating it sends nothing twice")]


class NewCommand(RequestBody):
    type: Type = Field(examples=["speak"])
    payload: dict[str, Any] = Field(default_factory=dict, examples=[{"text": "Dinner is ready."}])
    expires_in_s: Annotated[int, Field(ge=1, le=30 * commands.DAY_S)] = commands.DAY_S
    id: CommandId | None = None


class QueuedCommand(ResponseModel):
    id: str
    device: str
    seq: int
    expires_at: int | None


class RefusedCommand(ResponseModel):
    device: str
    error: str


class QueuedForGroup(ResponseModel):
    id: str = Field(description="For GET /fleet/v1/commands/{id}; that of a device is this, a dash, and its id")
    queued: int
    refused: int
    refusals: list[RefusedCommand] = Field(description=f"The first {MAX_REFUSED}")


class CommandAnswer(ResponseModel):
    id: str
    type: str
    payload: dict[str, Any]
    prio: int
    ts: int
    expires_at: int | None
    created_by: str
    acked_at: int | None
    done_at: int | None
    state: CommandState
    error: str


class CommandProgress(ResponseModel):
    id: str
    states: dict[CommandState, int] = Field(description="How many devices have which state")
    open: int = Field(description="How many are waiting or delivered")


def router(plane: ControlPlane) -> APIRouter:
    routes = APIRouter(prefix="/fleet/v1", tags=["commands"])

    async def check(given: NewCommand) -> None:
        await commands.check(given.type, given.payload, public_url=plane.public_url, allowed_hosts=plane.webhook_hosts)

    def queue(sql: Sql, given: NewCommand, operator: Operator, device: str, command: str) -> Frame:
        return downlink.queue(
            sql,
            device,
            operator.tenant,
            given.type,
            given.payload,
            by=operator.name,
            expires_at=now_ms() + given.expires_in_s * 1000,
            command_id=command,
        )

    @routes.post("/devices/{device}/commands", status_code=202, response_model=QueuedCommand)
    async def send(
        device: DevicePath, given: NewCommand, request: Request, operator: Annotated[Operator, Depends(may_operate)]
    ) -> dict[str, Any]:
        """Store a command for a device; it is sent at once, or when the device connects. The same `id` again stores
        nothing."""
        await check(given)

        def store(sql: Sql) -> tuple[str, Frame]:
            found = devices.get(sql, operator.tenant, device)
            if found.revoked_at is not None:
                raise InvalidParameter("this device was revoked", hint="enrol it again")
            frame = queue(sql, given, operator, found.id, given.id or uuid7())
            about = f"{given.type} to {found.name} ({frame.id})"
            audit.record(sql, operator, "command.sent", about, address=address_of(request))
            return found.id, frame

        device_id, frame = await plane.store.write(store)
        await plane.hub.wake(device_id, "command")
        await plane.hub.announce(operator.tenant, "command", device=device_id, id=frame.id, type=given.type)
        return {"id": frame.id, "device": device_id, "seq": frame.seq, "expires_at": frame.exp}

    @routes.post("/groups/{group}/commands", status_code=202, response_model=QueuedForGroup)
    async def send_to_group(
        group: GroupPath, given: NewCommand, request: Request, operator: Annotated[Operator, Depends(may_operate)]
    ) -> dict[str, Any]:
        """Store a command for each device of a group. The same `id` again completes what was interrupted."""
        await check(given)
        command = given.id or uuid7()

        def store(sql: Sql, chunk: list[str]) -> tuple[dict[str, str], list[dict[str, str]]]:
            refused = []
            for device in chunk:
                try:
                    queue(sql, given, operator, device, commands.id_for(command, device))
                except InvalidParameter as error:  # raised before anything is written for this device
                    refused.append({"device": device, "error": error.message})
            about = f"{given.type} to {len(chunk) - len(refused)} devices of {group} ({command})"
            audit.record(sql, operator, "command.sent", about, address=address_of(request))
            return groups.connected(sql, chunk), refused

        queued, refusals = 0, []
        async for chunk, (connected, refused) in groups.each_chunk(plane.store, operator.tenant, group, store):
            queued += len(chunk) - len(refused)
            refusals += refused
            await groups.wake(plane.hub, connected, "command")
        await plane.hub.announce(operator.tenant, "command", group=group, id=command, type=given.type)
        return {"id": command, "queued": queued, "refused": len(refusals), "refusals": refusals[:MAX_REFUSED]}

    @routes.get("/devices/{device}/commands", response_model=Page[CommandAnswer])
    async def list_commands(
        device: DevicePath, operator: Annotated[Operator, Depends(viewer)], before: After = "", limit: Limit = 100
    ) -> dict[str, Any]:
        """Commands for a device, the latest first."""

        def read(sql: Sql) -> list[dict[str, Any]]:
            found = devices.get(sql, operator.tenant, device)
            rows = downlink.listed(sql, operator.tenant, found.id, before=before, limit=limit)
            return [commands.public(row) for row in rows]

        return page(await plane.store.read(read), limit, lambda each: each["id"])

    @routes.get("/commands/{command}", response_model=CommandProgress)
    async def progress(command: IdPath, operator: Annotated[Operator, Depends(viewer)]) -> dict[str, Any]:
        """How far a command is: that for one device, or that for a group."""
        states = await plane.store.read(lambda sql: commands.progress(sql, operator.tenant, command))
        if not states:
            raise NotInTenant("no such command", hint="commands are kept for thirty days")
        return {"id": command, "states": states, "open": states.get("waiting", 0) + states.get("delivered", 0)}

    return routes
