"""A node of the control plane in this process: its app is called without a network."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import httpx
import pytest

from reachy_mind.fleet.control import connections, devices, operators, tenants
from reachy_mind.fleet.control.app import ControlApp
from reachy_mind.fleet.control.bus import LocalBus
from reachy_mind.fleet.control.devices import Device
from reachy_mind.fleet.control.hub import DeviceHub
from reachy_mind.fleet.control.metrics import MeasuredStore
from reachy_mind.fleet.control.operators import Role
from reachy_mind.fleet.control.plane import ControlPlane
from reachy_mind.fleet.control.store.sqlite import SqliteStore
from reachy_mind.fleet.control.store.store import FleetStore, Sql
from reachy_mind.fleet.protocol.handshake import Hello

URL = "https://fleet.example"
Result = TypeVar("Result")


@dataclass
class ControlNode:
    """`keys`: of operators, by "TENANT ROLE"; tenants are called home and other."""

    plane: ControlPlane
    app: ControlApp
    tenants: dict[str, str] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)

    async def write(self, operation: Callable[[Sql], Result]) -> Result:
        return await self.plane.store.write(operation)

    async def read(self, operation: Callable[[Sql], Result]) -> Result:
        return await self.plane.store.read(operation)

    async def device(self, name: str, *groups: str, tenant: str = "home") -> tuple[Device, str]:
        """A new device, and its token."""

        def add(sql: Sql) -> tuple[Device, str]:
            made = devices.add(sql, self.tenants[tenant], name, groups)
            return made, devices.new_token(sql, made.id)

        return await self.write(add)

    async def connect(self, device: Device) -> None:
        """The device is online at this node."""
        hello = Hello(device=device.id, boot="boot", epoch="epoch")
        await self.write(
            lambda sql: connections.open_connection(sql, device.id, hello, node=self.plane.hub.node, transport="test")
        )

    def client(self, key: str = "", *, address: str = "192.0.2.7", **headers: str) -> httpx.AsyncClient:
        """Calls the app from an address, with a key or token."""
        sent = {"Authorization": f"Bearer {key}"} if key else {}
        transport = httpx.ASGITransport(self.app, raise_app_exceptions=False, client=(address, 50000))
        return httpx.AsyncClient(transport=transport, base_url=URL, headers=sent | headers)

    async def ask(self, method: str, route: str, content: Any = None, *, who: str = "home platform") -> httpx.Response:
        """One request of an operator; `route` follows /fleet/v1/."""
        async with self.client(self.keys[who]) as client:
            return await client.request(method, f"/fleet/v1/{route}", json=content)

    async def ok(self, method: str, route: str, content: Any = None, *, who: str = "home platform") -> Any:
        """The content of an answer that is no error."""
        response = await self.ask(method, route, content, who=who)
        assert response.status_code < 300, response.text
        return response.json()


@contextlib.asynccontextmanager
async def control_node(store: FleetStore, **about: Any) -> AsyncIterator[ControlNode]:
    """`about`: for the `ControlApp`."""
    async with contextlib.AsyncExitStack() as stack:
        measured = await stack.enter_async_context(MeasuredStore(store))
        bus = await stack.enter_async_context(LocalBus())
        hub = await stack.enter_async_context(DeviceHub(measured, bus, "node-1"))
        plane = ControlPlane(measured, bus, hub, URL)
        app = await stack.enter_async_context(ControlApp(plane, **about))
        node = ControlNode(plane, app)

        def add_operators(sql: Sql) -> None:
            roles: tuple[Role, ...] = ("viewer", "operator", "admin", "platform")
            for tenant in (tenants.home(sql), tenants.add(sql, "other")):
                node.tenants[tenant.name] = tenant.id
                for role in roles:
                    node.keys[f"{tenant.name} {role}"] = operators.add(sql, tenant.id, role, role)[1]

        await node.write(add_operators)
        yield node


@pytest.fixture
async def control(tmp_path: Path) -> AsyncIterator[ControlNode]:
    async with control_node(SqliteStore(tmp_path / "fleet.db")) as node:
        yield node
