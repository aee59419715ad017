"""Groups: names for some of a tenant's devices. What is done to a group is done in transactions of limited size."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from reachy_mind.fleet.control.bus import Wake
from reachy_mind.fleet.control.devices import NotInTenant
from reachy_mind.fleet.control.store.store import FleetStore, Result, Sql

if TYPE_CHECKING:
    from reachy_mind.fleet.control.hub import DeviceHub

CHUNK: Final = 250
"""Devices in one transaction."""


@dataclass(frozen=True)
class Group:
    name: str
    devices: int


def listed(sql: Sql, tenant: str, *, after: str = "", limit: int = 100) -> list[Group]:
    """A page of a tenant's groups by name, with the number of devices that are not revoked."""
    rows = sql.rows(
        "SELECT device_group.name, count(device.id) AS devices FROM device_group"
        " LEFT JOIN device_member ON device_member.group_name = device_group.name"
        " LEFT JOIN device ON device.id = device_member.device AND device.tenant = device_group.tenant"
        " AND device.revoked_at IS NULL"
        " WHERE device_group.tenant = ? AND device_group.name > ?"
        " GROUP BY device_group.name ORDER BY device_group.name LIMIT ?",
        *(tenant, after, limit),
    )
    return [Group(**row) for row in rows]


def require(sql: Sql, tenant: str, name: str) -> None:
    """Raises NotFound."""
    if sql.row("SELECT name FROM device_group WHERE tenant = ? AND name = ?", tenant, name) is None:
        raise NotInTenant(f"no group {name[:60]!r}", hint="reachy-mind fleet devices shows the groups")


def members(sql: Sql, tenant: str, name: str, *, after: str = "", limit: int = CHUNK) -> list[str]:
    """The ids of the devices in a group that are not revoked, those after the id `after`."""
    rows = sql.rows(
        "SELECT device.id FROM device JOIN device_member ON device_member.device = device.id"
        " WHERE device.tenant = ? AND device_member.group_name = ? AND device.revoked_at IS NULL AND device.id > ?"
        " ORDER BY device.id LIMIT ?",
        *(tenant, name, after, limit),
    )
    return [row["id"] for row in rows]


async def each_chunk(
    store: FleetStore, tenant: str, name: str, work: Callable[[Sql, list[str]], Result]
) -> AsyncIterator[tuple[list[str], Result]]:
    """Run `work` for some devices of a group after others, each time in a transaction of its own.

    Raises NotFound when there is no such group.
    """
    await store.read(lambda sql: require(sql, tenant, name))
    after = ""
    while True:

        def run(sql: Sql, after: str = after) -> tuple[list[str], Result] | None:
            chunk = members(sql, tenant, name, after=after)
            return (chunk, work(sql, chunk)) if chunk else None

        done = await store.write(run)
        if done is None:
            return
        yield done
        after = done[0][-1]


def connected(sql: Sql, devices: list[str]) -> dict[str, str]:
    """Those of these devices that have an open connection, and its node: only they are to be woken."""
    if not devices:
        return {}
    marks = ", ".join("?" * len(devices))
    rows = sql.rows(f"SELECT device, node FROM connection WHERE closed_at IS NULL AND device IN ({marks})", *devices)  # noqa: S608 -- only marks
    return {row["device"]: row["node"] for row in rows}


async def wake(hub: DeviceHub, nodes: dict[str, str], kind: Literal["command", "twin"]) -> None:
    """Tell connected devices of a change that was committed; `nodes`: where each is."""
    for device, node in nodes.items():
        if hub.connected(device):
            await hub.wake(device, kind)
        else:
            await hub.bus.publish(f"node.{node}", Wake(device, kind).as_message())
