"""Routes of twins: the state that a device should have and the one it has.

Configuration and volume are changed here, the personality by a rollout.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from pydantic import AfterValidator, Field

from reachy_mind.errors import InvalidParameter
from reachy_mind.fleet.control import audit, devices, groups, twins
from reachy_mind.fleet.control.authorization import address_of, viewer
from reachy_mind.fleet.control.authorization import operator as may_operate
from reachy_mind.fleet.control.operators import Operator
from reachy_mind.fleet.control.plane import ControlPlane
from reachy_mind.fleet.control.routes.schemas import DevicePath, GroupPath, RequestBody, ResponseModel
from reachy_mind.fleet.control.store.store import Sql
from reachy_mind.fleet.control.twins import Twin
from reachy_mind.fleet.protocol.handshake import Desired, Reported, Volume

ConfigKey = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_.-]{0,63}$")]
MAX_KEYS = 64


def _shallow(content: dict[str, Any]) -> dict[str, Any]:
    for key, value in content.items():
        parts = value if isinstance(value, list) else value.values() if isinstance(value, dict) else ()
        if any(isinstance(part, list | dict) for part in parts):
            raise ValueError(f"{key} nests too deeply")
    return content


Config = Annotated[dict[ConfigKey, Any], Field(max_length=MAX_KEYS), AfterValidator(_shallow)]


class TwinChange(RequestBody):
    """What is left out stays."""

    config: Config | None = Field(None, description="Keys to set; null removes one", examples=[{"wake_word": "reachy"}])
    volume: Volume | None = None

    def changes(self) -> dict[str, Any]:
        """Raises InvalidParameter when there are none."""
        found = self.model_dump(exclude_unset=True)
        if not found or found.get("config", {}) is None:
            raise InvalidParameter("there is nothing to change", hint='{"volume": 40} or {"config": {...}}')
        return found


class TwinAnswer(ResponseModel):
    device: str
    in_sync: bool
    desired: Desired
    desired_at: int | None
    desired_by: str
    reported: Reported | None
    reported_at: int | None


class ChangedGroup(ResponseModel):
    group: str
    changed: int
    refused: int


def router(plane: ControlPlane) -> APIRouter:
    routes = APIRouter(prefix="/fleet/v1", tags=["state"])

    @routes.get("/devices/{device}/twin", response_model=TwinAnswer)
    async def get_twin(device: DevicePath, operator: Annotated[Operator, Depends(viewer)]) -> dict[str, Any]:
        """The state that a device should have, and the one that it reported."""

        def read(sql: Sql) -> dict[str, Any]:
            found = devices.get(sql, operator.tenant, device)
            return _public(found.id, twins.get(sql, found.id))

        return await plane.store.read(read)

    @routes.patch("/devices/{device}/twin", response_model=TwinAnswer)
    async def change_twin(
        device: DevicePath, given: TwinChange, request: Request, operator: Annotated[Operator, Depends(may_operate)]
    ) -> dict[str, Any]:
        """Change the configuration or the volume of a device; it applies them when it is connected."""
        changes = given.changes()

        def change(sql: Sql) -> dict[str, Any]:
            found = devices.get(sql, operator.tenant, device)
            twins.change(sql, found.id, changes, by=operator.name)
            about = f"{found.name}: {_summary(changes)}"
            audit.record(sql, operator, "twin.changed", about, address=address_of(request))
            return _public(found.id, twins.get(sql, found.id))

        changed = await plane.store.write(change)
        await plane.hub.wake(changed["device"], "twin")
        await plane.hub.announce(operator.tenant, "twin", device=changed["device"])
        return changed

    @routes.patch("/groups/{group}/twin", response_model=ChangedGroup)
    async def change_group(
        group: GroupPath, given: TwinChange, request: Request, operator: Annotated[Operator, Depends(may_operate)]
    ) -> dict[str, Any]:
        """The same for each device of a group, some hundreds in a transaction."""
        changes = given.changes()

        def change(sql: Sql, chunk: list[str]) -> tuple[dict[str, str], int]:
            refused = 0
            for device in chunk:
                try:
                    twins.change(sql, device, changes, by=operator.name)
                except InvalidParameter:  # its configuration would be too large; nothing was written
                    refused += 1
            about = f"{len(chunk) - refused} devices of {group}: {_summary(changes)}"
            audit.record(sql, operator, "twin.changed", about, address=address_of(request))
            return groups.connected(sql, chunk), refused

        changed = refused = 0
        async for chunk, (connected, of_chunk) in groups.each_chunk(plane.store, operator.tenant, group, change):
            changed, refused = changed + len(chunk) - of_chunk, refused + of_chunk
            await groups.wake(plane.hub, connected, "twin")
        await plane.hub.announce(operator.tenant, "twin", group=group)
        return {"group": group, "changed": changed, "refused": refused}

    return routes


def _public(device: str, twin: Twin) -> dict[str, Any]:
    return {
        "device": device,
        "in_sync": twin.in_sync,
        "desired": twin.desired,
        "desired_at": twin.desired_at,
        "desired_by": twin.desired_by,
        "reported": twin.reported,
        "reported_at": twin.reported_at,
    }


def _summary(changes: dict[str, Any]) -> str:
    """Which parts changed: values may be private."""
    parts = [f"config {', '.join(changes['config'])}"] if "config" in changes else []
    return "; ".join([*parts, f"volume {changes['volume']}"] if "volume" in changes else parts)
