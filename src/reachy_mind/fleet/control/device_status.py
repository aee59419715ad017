"""`DeviceStatus`: a device as operators see it: online or not, its heartbeat, how far it has its desired state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from reachy_mind.fleet.control.devices import Device
from reachy_mind.fleet.control.hub import NODE_TIMEOUT_MS
from reachy_mind.fleet.control.store.store import Row, Sql
from reachy_mind.fleet.control.twins import Twin
from reachy_mind.fleet.protocol.frame import now_ms
from reachy_mind.fleet.protocol.handshake import Desired, Reported


@dataclass(frozen=True)
class DeviceConnectionState:
    """The connection that counts."""

    online: bool
    node: str | None = None
    transport: str | None = None
    connected_at: int | None = None


@dataclass(frozen=True)
class DeviceStatus:
    """`waiting`: commands that it does not have yet."""

    device: Device
    connection: DeviceConnectionState
    twin: Twin
    waiting: int


def of(sql: Sql, found: Sequence[Device]) -> list[DeviceStatus]:
    """The status of devices, in three queries however many they are."""
    if not found:
        return []
    ids = [device.id for device in found]
    marks = ", ".join("?" * len(ids))
    connected = {
        row["device"]: row
        for row in sql.rows(
            "SELECT connection.device, connection.node, connection.transport, connection.connected_at,"  # noqa: S608 -- only marks
            " connection.closed_at, node.seen_at FROM connection LEFT JOIN node ON node.id = connection.node"
            f" WHERE connection.device IN ({marks})",
            *ids,
        )
    }
    twins = {row["device"]: row for row in sql.rows(f"SELECT * FROM twin WHERE device IN ({marks})", *ids)}  # noqa: S608 -- only marks
    waiting = {
        row["device"]: row["n"]
        for row in sql.rows(
            "SELECT device, count(*) AS n FROM downlink WHERE acked_at IS NULL"  # noqa: S608 -- only marks
            f" AND device IN ({marks}) GROUP BY device",
            *ids,
        )
    }
    alive_since = now_ms() - NODE_TIMEOUT_MS
    return [
        DeviceStatus(
            device,
            _connection(connected.get(device.id), alive_since),
            _twin(twins.get(device.id)),
            waiting.get(device.id, 0),
        )
        for device in found
    ]


def public(status: DeviceStatus) -> dict[str, Any]:
    """For the REST API."""
    device, twin, connection = status.device, status.twin, status.connection
    reported = twin.reported
    return {
        "id": device.id,
        "name": device.name,
        "groups": device.groups,
        "created_at": device.created_at,
        "revoked_at": device.revoked_at,
        "agent": device.agent,
        "caps": device.caps,
        "online": connection.online,
        "node": connection.node,
        "transport": connection.transport,
        "connected_at": connection.connected_at,
        "last_seen_at": device.last_seen_at,
        "heartbeat": device.heartbeat,
        "trouble": device.trouble.split(),
        "error": device.error,
        "error_at": device.error_at,
        "waiting": status.waiting,
        "twin": {
            "in_sync": twin.in_sync,
            "desired_version": twin.desired.version,
            "reported_version": reported.version if reported is not None else None,
            "persona": (reported.persona.id if reported.persona else None) if reported is not None else None,
            "desired_persona": twin.desired.persona.id if twin.desired.persona else None,
            "errors": reported.errors if reported is not None else {},
        },
    }


def _connection(row: Row | None, alive_since: int) -> DeviceConnectionState:
    if row is None or row["closed_at"] is not None or row["seen_at"] is None or row["seen_at"] < alive_since:
        return DeviceConnectionState(online=False)
    return DeviceConnectionState(
        online=True, node=row["node"], transport=row["transport"], connected_at=row["connected_at"]
    )


def _twin(row: Row | None) -> Twin:
    if row is None:
        return Twin(Desired(), None)
    reported = Reported.model_validate_json(row["reported"]) if row["reported"] else None
    desired = Desired.model_validate_json(row["desired"])
    return Twin(desired, reported, row["desired_at"], row["desired_by"], row["reported_at"])
