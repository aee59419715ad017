"""A node's store, bus and hub without its servers, and devices that connect and report through the store."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import httpx

from reachy_mind.fleet.control import audit, connections, devices, emergencies, operators, rollout_progress, twins
from reachy_mind.fleet.control.app import ControlApp
from reachy_mind.fleet.control.bus import LocalBus
from reachy_mind.fleet.control.devices import Device
from reachy_mind.fleet.control.hub import DeviceHub
from reachy_mind.fleet.control.operators import Role
from reachy_mind.fleet.control.plane import ControlPlane
from reachy_mind.fleet.control.store.sqlite import SqliteStore
from reachy_mind.fleet.control.store.store import FleetStore, Sql
from reachy_mind.fleet.protocol.frame import Frame, new_frame
from reachy_mind.fleet.protocol.handshake import Hello, Persona, Reported
from reachy_mind.fleet.protocol.message_ids import uuid7

TENANT, OTHER = "tenant-1", "tenant-2"
Result = TypeVar("Result")


@dataclass
class FleetNode:
    """`announced`: what pages were told, by tenant and kind."""

    plane: ControlPlane
    announced: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    async def write(self, operation: Callable[[Sql], Result]) -> Result:
        return await self.plane.store.write(operation)

    async def read(self, operation: Callable[[Sql], Result]) -> Result:
        return await self.plane.store.read(operation)

    async def device(self, name: str, *groups: str, tenant: str = TENANT) -> Device:
        return await self.write(lambda sql: devices.add(sql, tenant, name, groups))

    async def connect(self, device: Device) -> int:
        """The device is online; the generation of its connection."""
        hello = Hello(device=device.id, boot="boot", epoch="epoch")
        opened = await self.write(
            lambda sql: connections.open_connection(sql, device.id, hello, node=self.plane.hub.node, transport="test")
        )
        return opened.generation

    async def disconnect(self, device: Device, generation: int) -> None:
        await self.write(lambda sql: connections.close_connection(sql, device.id, generation))

    async def report(self, device: Device, *, error: str = "") -> set[str]:
        """The device reports the state that it should have, or why it has not its personality."""

        def tell(sql: Sql) -> set[str]:
            desired = twins.get(sql, device.id).desired
            errors = {"persona": error} if error else {}
            reported = Reported(version=desired.version, persona=None if error else desired.persona, errors=errors)
            twins.report(sql, device.id, reported)
            return rollout_progress.note_reported(sql, device.id, reported)

        return await self.write(tell)

    async def persona_of(self, device: Device) -> Persona | None:
        return (await self.read(lambda sql: twins.get(sql, device.id))).desired.persona

    async def press(self, device: Device, message: str = "", **fields: Any) -> Frame:
        """Somebody presses for help."""
        frame = new_frame("emergency.pressed", {"message": message}, prio=0, seq=1, **fields)
        await self.send(device, frame)
        return frame

    async def send(self, device: Device, frame: Frame) -> None:
        await self.write(lambda sql: emergencies.note_event(sql, device.id, device.tenant, frame))

    @contextlib.asynccontextmanager
    async def http(self, role: Role = "operator", tenant: str = TENANT) -> AsyncIterator[httpx.AsyncClient]:
        """The REST API, called with the key of an operator."""
        key = (await self.write(lambda sql: operators.add(sql, tenant, uuid7(), role)))[1]
        async with self.calling(key) as client:
            yield client

    @contextlib.asynccontextmanager
    async def calling(self, key: str = "") -> AsyncIterator[httpx.AsyncClient]:
        """The REST API, called with a key or token."""
        async with (
            ControlApp(self.plane) as app,
            httpx.AsyncClient(
                transport=httpx.ASGITransport(app),
                base_url="http://127.0.0.1/fleet/v1",
                headers={"Authorization": f"Bearer {key}"} if key else {},
            ) as client,
        ):
            yield client

    async def audited(self, action: str) -> list[str]:
        """What an action was done to."""
        return [
            row["object"] for row in await self.read(lambda sql: audit.listed(sql, [TENANT])) if row["action"] == action
        ]

    async def one(self, emergency: str, tenant: str = TENANT) -> dict[str, Any]:
        return await self.read(lambda sql: emergencies.get(sql, tenant, emergency))


@contextlib.asynccontextmanager
async def fleet_node(
    place: Path | FleetStore, node: str = "node-1", *, webhook_hosts: tuple[str, ...] = ()
) -> AsyncIterator[FleetNode]:
    """One node on a store, or on that of a folder; several may share it."""
    async with contextlib.AsyncExitStack() as stack:
        store = await stack.enter_async_context(SqliteStore(place / "fleet.db") if isinstance(place, Path) else place)
        used = await stack.enter_async_context(LocalBus())
        for tenant in (TENANT, OTHER):
            await store.write(
                lambda sql, tenant=tenant: sql.run(  # type: ignore[misc]
                    "INSERT INTO tenant (id, name, created_at) VALUES (?, ?, 0) ON CONFLICT DO NOTHING", tenant, tenant
                )
            )
        hub = await stack.enter_async_context(DeviceHub(store, used, node))
        one = FleetNode(ControlPlane(store, used, hub, "https://fleet.example", webhook_hosts))
        for tenant in (TENANT, OTHER):
            stack.enter_context(
                used.subscribe(f"tenant.{tenant}", lambda message, of=tenant: one.announced.append((of, message)))  # type: ignore[misc]
            )
        yield one


def texts(**files: str) -> dict[str, str]:
    """Files of a personality."""
    return {"instructions.txt": "You are a captain.\n", **{f"{name}.txt": text for name, text in files.items()}}
