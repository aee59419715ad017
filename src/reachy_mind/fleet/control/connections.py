"""Which connection of a device counts: the one with the highest generation. A new one fences the old one."""

from __future__ import annotations

import json
from dataclasses import dataclass

from reachy_mind.fleet.control import downlink, twin_reports, twins, uplink
from reachy_mind.fleet.control.store.store import Sql
from reachy_mind.fleet.protocol.frame import EMERGENCY, USUAL, now_ms
from reachy_mind.fleet.protocol.handshake import Desired, Hello, UpHigh
from reachy_mind.fleet.protocol.message_ids import uuid7


@dataclass(frozen=True)
class Opened:
    """What the hub says of a new connection, and where it begins to send."""

    conn: str
    generation: int
    up: UpHigh
    down_epoch: str
    down_acked: UpHigh
    desired: Desired
    replaced: bool
    """Whether another connection of this device was open."""


def open_connection(sql: Sql, device: str, hello: Hello, *, node: str, transport: str) -> Opened:
    """Make a connection the one that counts, take what the device says of itself, and find where both sides are."""
    now, conn = now_ms(), uuid7()
    before = sql.row("SELECT closed_at FROM connection WHERE device = ?", device)
    row = sql.row(
        "INSERT INTO connection (device, generation, conn, node, transport, connected_at) VALUES (?, 1, ?, ?, ?, ?)"
        " ON CONFLICT (device) DO UPDATE SET generation = connection.generation + 1, conn = excluded.conn,"
        " node = excluded.node, transport = excluded.transport, connected_at = excluded.connected_at,"
        " closed_at = NULL RETURNING generation",
        *(device, conn, node, transport, now),
    )
    assert row is not None
    sql.run(
        "UPDATE device SET boot = ?, agent = ?, caps = ?, last_seen_at = ? WHERE id = ?",
        *(hello.boot, hello.agent, json.dumps(list(hello.caps)), now, device),
    )
    if hello.reported is not None:
        twin_reports.note(sql, device, hello.reported)
    twins.keep_ahead(sql, device, hello.twin)
    has = uplink.highs(sql, device, hello.epoch)
    down_epoch, acked = _downlink_position(sql, device, hello)
    return Opened(
        conn,
        row["generation"],
        UpHigh(seq=has.get(USUAL, 0), seq0=has.get(EMERGENCY, 0)),
        down_epoch,
        acked,
        twins.get(sql, device).desired,
        before is not None and before["closed_at"] is None,
    )


def close_connection(sql: Sql, device: str, generation: int) -> None:
    """Note that a connection has ended, unless a newer one is open."""
    now = now_ms()
    changed = sql.run(
        "UPDATE connection SET closed_at = ? WHERE device = ? AND generation = ?", now, device, generation
    )
    if changed:
        sql.run("UPDATE device SET last_seen_at = ? WHERE id = ?", now, device)


def _downlink_position(sql: Sql, device: str, hello: Hello) -> tuple[str, UpHigh]:
    """The epoch of the commands, and what the device has of it."""
    row = sql.row("SELECT down_epoch FROM device WHERE id = ?", device)
    assert row is not None, "the device was authenticated"
    epoch: str = row["down_epoch"]
    if hello.down.epoch != epoch:
        return epoch, UpHigh()
    last = downlink.highs(sql, device)
    if hello.down.seq > last.get(USUAL, 0) or hello.down.seq0 > last.get(EMERGENCY, 0):
        return downlink.begin_epoch(sql, device), UpHigh()
    downlink.acknowledge(sql, device, hello.down.seq, hello.down.seq0)
    return epoch, UpHigh(seq=hello.down.seq, seq0=hello.down.seq0)
