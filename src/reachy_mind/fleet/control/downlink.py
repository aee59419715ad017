"""Commands for devices: numbered, kept until the device has stored them, not sent any more once they have expired."""

from __future__ import annotations

import json
from typing import Any, Final

from reachy_mind.errors import InvalidParameter
from reachy_mind.fleet.control.store.store import Row, Sql, plain_text
from reachy_mind.fleet.protocol.frame import EMERGENCY, USUAL, Frame, Lane, encode, now_ms
from reachy_mind.fleet.protocol.message_ids import uuid7

MAX_WAITING: Final = 1000
"""Commands that may wait for one device; more are refused."""
STATUSES: Final = ("done", "failed", "expired", "unsupported")


def queue(
    sql: Sql,
    device: str,
    tenant: str,
    type_: str,
    payload: dict[str, Any],
    *,
    by: str,
    prio: int = 1,
    expires_at: int | None = None,
    re: str | None = None,
    command_id: str | None = None,
) -> Frame:
    """Store a command for a device. Raises InvalidParameter when it is too large, or too many wait.

    With a `command_id` that was used before for this device nothing is stored: a program may repeat its request.
    """
    command_id = command_id or uuid7()
    known = sql.row("SELECT * FROM downlink WHERE id = ?", command_id)
    if known is not None:
        if known["device"] != device or known["type"] != type_:
            raise InvalidParameter(f"{command_id} is the id of another command", hint="choose another id")
        return _frame(known)
    waiting = sql.row("SELECT count(*) AS n FROM downlink WHERE device = ? AND acked_at IS NULL", device)
    if prio != 0 and waiting is not None and waiting["n"] >= MAX_WAITING:
        raise InvalidParameter(f"{MAX_WAITING} commands wait for this device", hint="is it offline? they expire")
    lane = EMERGENCY if prio == 0 else USUAL
    number = sql.row(
        "INSERT INTO downlink_high (device, lane, seq, acked) VALUES (?, ?, 1, 0)"
        " ON CONFLICT (device, lane) DO UPDATE SET seq = downlink_high.seq + 1 RETURNING seq",
        *(device, lane),
    )
    assert number is not None
    seq: int = number["seq"]
    frame = Frame(id=command_id, type=type_, ts=now_ms(), seq=seq, prio=prio, exp=expires_at, re=re, p=payload)
    try:
        encode(frame.model_copy(update={"skip": 1 << 40, "ack": 1 << 40, "ack0": 1 << 40}))
    except ValueError as error:
        raise InvalidParameter(f"the command can't be sent: {error}", hint="send something shorter") from error
    sql.run(
        "INSERT INTO downlink (device, lane, seq, id, tenant, type, prio, ts, expires_at, re, body, created_by)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        *(device, lane, frame.seq, frame.id, tenant, type_, prio, frame.ts, expires_at, re, json.dumps(payload), by),
    )
    return frame


def waiting(sql: Sql, device: str, lane: Lane, after: int, limit: int) -> list[Frame]:
    """The next commands to send, those that have not expired."""
    rows = sql.rows(
        "SELECT * FROM downlink WHERE device = ? AND lane = ? AND seq > ? AND acked_at IS NULL"
        " AND (expires_at IS NULL OR expires_at > ?) ORDER BY seq LIMIT ?",
        *(device, lane, after, now_ms(), limit),
    )
    return [_frame(row) for row in rows]


def acknowledge(sql: Sql, device: str, seq: int, seq0: int) -> None:
    """The device has stored everything up to these numbers of the two lanes."""
    for lane, number in ((USUAL, seq), (EMERGENCY, seq0)):
        changed = sql.run(
            "UPDATE downlink_high SET acked = ? WHERE device = ? AND lane = ? AND acked < ? AND seq >= ?",
            *(number, device, lane, number, number),
        )
        if changed:
            sql.run(
                "UPDATE downlink SET acked_at = ? WHERE device = ? AND lane = ? AND seq <= ? AND acked_at IS NULL",
                *(now_ms(), device, lane, number),
            )


def highs(sql: Sql, device: str) -> dict[int, int]:
    """The last number of each lane."""
    found = sql.rows("SELECT lane, seq FROM downlink_high WHERE device = ?", device)
    return {row["lane"]: row["seq"] for row in found}


def begin_epoch(sql: Sql, device: str) -> str:
    """Number the waiting commands anew: this store was set back, and the device has higher numbers than it knows."""
    epoch = uuid7()
    sql.run("UPDATE device SET down_epoch = ? WHERE id = ?", epoch, device)
    for lane in (USUAL, EMERGENCY):
        rows = sql.rows(
            "SELECT id FROM downlink WHERE device = ? AND lane = ? AND acked_at IS NULL ORDER BY seq", device, lane
        )
        sql.run("DELETE FROM downlink WHERE device = ? AND lane = ? AND acked_at IS NOT NULL", device, lane)
        for number, row in enumerate(rows, 1):  # upwards: a number below is free already
            sql.run("UPDATE downlink SET seq = ? WHERE id = ?", number, row["id"])
        sql.run("UPDATE downlink_high SET seq = ?, acked = 0 WHERE device = ? AND lane = ?", len(rows), device, lane)
    return epoch


def note_done(sql: Sql, device: str, command: str, payload: dict[str, Any]) -> None:
    """The device says how a command went; only the first word counts."""
    status, error = str(payload.get("status", "done")), plain_text(str(payload.get("error", ""))[:500])
    sql.run(
        "UPDATE downlink SET done_at = ?, status = ?, error = ? WHERE id = ? AND device = ? AND done_at IS NULL",
        *(now_ms(), status if status in STATUSES else "done", error, command, device),
    )


def expire(sql: Sql) -> int:
    """Take what has expired out of the queue; how many it were."""
    now = now_ms()
    return sql.run(
        "UPDATE downlink SET acked_at = ?, done_at = ?, status = 'expired' WHERE acked_at IS NULL AND expires_at <= ?",
        *(now, now, now),
    )


def overdue(sql: Sql, node: str, before: int) -> list[str]:
    """Devices that are connected to a node and for which something has waited since `before`."""
    rows = sql.rows(
        "SELECT DISTINCT downlink.device FROM downlink JOIN connection ON connection.device = downlink.device"
        " WHERE downlink.acked_at IS NULL AND downlink.ts < ? AND connection.node = ?"
        " AND connection.closed_at IS NULL",
        *(before, node),
    )
    return [row["device"] for row in rows]


def listed(sql: Sql, tenant: str, device: str, *, before: str = "", limit: int = 100) -> list[Row]:
    """A page of a device's commands, the latest first, those before the id `before`."""
    return sql.rows(
        "SELECT id, type, prio, ts, expires_at, body, created_by, acked_at, done_at, status, error FROM downlink"
        " WHERE tenant = ? AND device = ? AND (? = '' OR id < ?) ORDER BY id DESC LIMIT ?",
        *(tenant, device, before, before, limit),
    )


def _frame(row: Row) -> Frame:
    return Frame(
        id=row["id"],
        type=row["type"],
        ts=row["ts"],
        seq=row["seq"],
        prio=row["prio"],
        exp=row["expires_at"],
        re=row["re"],
        p=json.loads(row["body"]),
    )
