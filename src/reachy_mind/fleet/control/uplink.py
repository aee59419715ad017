"""Events of devices: each is stored once, together with its number, in the transaction that checks it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from reachy_mind.fleet.control import activity_events, devices, downlink, emergencies, fencing, persona_requests
from reachy_mind.fleet.control.store.store import Row, Sql
from reachy_mind.fleet.protocol.close_codes import CloseCode, ProtocolViolation
from reachy_mind.fleet.protocol.delivery import Arrival, classify
from reachy_mind.fleet.protocol.frame import Frame, now_ms


@dataclass(frozen=True, slots=True)
class Source:
    """Where an event comes from: a connection of a device."""

    device: str
    tenant: str
    epoch: str
    generation: int
    node: str


def accept(sql: Sql, source: Source, frame: Frame) -> Arrival:
    """Store an event, and what follows from it. It may be acknowledged when the transaction is committed.

    Raises ProtocolError: the connection was replaced, a number is missing, or another store uses this epoch.
    """
    if not fencing.is_current(sql, source.device, source.generation):
        raise ProtocolViolation(CloseCode.SUPERSEDED, "a newer connection of this device is open")
    high = _high(sql, source, frame.lane)
    if classify(high, frame) == "repetition":
        _check_same_event(sql, source, frame)
        return "repetition"
    assert frame.seq is not None
    now = now_ms()
    if high == 0:
        sql.run(
            "INSERT INTO uplink_high (device, epoch, lane, seq, changed_at) VALUES (?, ?, ?, 0, ?)"
            " ON CONFLICT DO NOTHING",
            *(source.device, source.epoch, frame.lane, now),
        )
    moved = sql.run(
        "UPDATE uplink_high SET seq = ?, dropped = dropped + ?, changed_at = ?"
        " WHERE device = ? AND epoch = ? AND lane = ? AND seq = ?",
        *(frame.seq, frame.seq - high - 1, now, source.device, source.epoch, frame.lane, high),
    )
    if not moved:
        raise ProtocolViolation(
            CloseCode.SUPERSEDED, "another connection stored events of this device at the same time"
        )
    inserted = sql.run(
        "INSERT INTO uplink (device, epoch, lane, seq, id, tenant, type, prio, ts, re, body, received_at, node)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (device, id) DO NOTHING",
        *(source.device, source.epoch, frame.lane, frame.seq, frame.id, source.tenant, frame.type, frame.prio),
        *(frame.ts, frame.re, json.dumps(frame.p), now, source.node),
    )
    if not inserted:
        return "repetition"  # it came before, in another epoch
    _carry_out(sql, source, frame)
    return "new"


def highs(sql: Sql, device: str, epoch: str) -> dict[int, int]:
    """The highest number of each lane that is stored."""
    found = sql.rows("SELECT lane, seq FROM uplink_high WHERE device = ? AND epoch = ?", device, epoch)
    return {row["lane"]: row["seq"] for row in found}


def listed(
    sql: Sql, tenant: str, *, device: str | None = None, type_: str | None = None, before: str = "", limit: int = 100
) -> list[dict[str, Any]]:
    """A page of a tenant's events, the latest first; `before`: the cursor of the page before.

    `device`: the id of one of its devices.
    """
    # Not both: with the tenant's index the events of a quiet device would be looked for among those of all others.
    conditions, parameters = (["uplink.tenant = ?"], [tenant]) if device is None else (["uplink.device = ?"], [device])
    if type_ is not None:
        conditions.append("type = ?")
        parameters.append(type_)
    if before:
        stamp, _, event_id = before.partition(":")
        conditions.append("(received_at < ? OR (received_at = ? AND uplink.id < ?))")
        parameters += [int(stamp), int(stamp), event_id]  # type: ignore[list-item]
    rows = sql.rows(
        "SELECT uplink.*, device.name AS device_name FROM uplink JOIN device ON device.id = uplink.device"  # noqa: S608 -- fixed texts
        f" WHERE {' AND '.join(conditions)} ORDER BY received_at DESC, uplink.id DESC LIMIT ?",
        *parameters,
        limit,
    )
    return [public(row) for row in rows]


def public(row: Row) -> dict[str, Any]:
    """An event as operators see it."""
    shown = {key: row[key] for key in ("id", "device", "device_name", "type", "prio", "ts", "re", "received_at", "seq")}
    return shown | {"payload": json.loads(row["body"]), "cursor": f"{row['received_at']}:{row['id']}"}


def _carry_out(sql: Sql, source: Source, frame: Frame) -> None:
    """What an event changes, in its own transaction."""
    if frame.type == "command.done" and frame.re is not None:
        downlink.note_done(sql, source.device, frame.re, frame.p)
    elif frame.type.startswith("emergency."):
        emergencies.note_event(sql, source.device, source.tenant, frame)
    elif frame.type == "error.reported":
        devices.note_error(sql, source.device, frame.p, frame.ts)
    elif frame.type.startswith("activity."):
        activity_events.note_event(sql, source.device, frame.type, frame.p)
    persona_requests.note_event(sql, source.device, source.tenant, frame)


def _high(sql: Sql, source: Source, lane: int) -> int:
    row = sql.row(
        "SELECT seq FROM uplink_high WHERE device = ? AND epoch = ? AND lane = ?", source.device, source.epoch, lane
    )
    return int(row["seq"]) if row else 0


def _check_same_event(sql: Sql, source: Source, frame: Frame) -> None:
    """Raises ProtocolError when this number belongs to another event. Those that were removed can't be compared."""
    row = sql.row(
        "SELECT id FROM uplink WHERE device = ? AND epoch = ? AND lane = ? AND seq = ?",
        *(source.device, source.epoch, frame.lane, frame.seq),
    )
    if row is not None and row["id"] != frame.id:
        raise ProtocolViolation(CloseCode.EPOCH_CONFLICT, f"number {frame.seq} of this epoch is another event")
