"""The waves of rollouts: the next one is sent when every device of the last one that was reached has reported.

A device that is offline gets its state when it connects: a wave does not wait for it. One that was reached and does not
report counts as failed after some minutes. More failures than allowed pause the rollout. Every node does this, each
second; a compare-and-set on each rollout and each device makes that one of them sends.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Final

from reachy_mind import log
from reachy_mind.fleet.control import twins
from reachy_mind.fleet.control.hub import NODE_TIMEOUT_MS
from reachy_mind.fleet.control.plane import ControlPlane
from reachy_mind.fleet.control.rollout_progress import OFFLINE, stored
from reachy_mind.fleet.control.store.store import Row, Sql
from reachy_mind.fleet.protocol.frame import now_ms
from reachy_mind.fleet.protocol.handshake import Persona
from reachy_mind.storage.database import DatabaseError

ADVANCE_INTERVAL_S: Final = 1.0
REPORT_TIMEOUT_MS: Final = 5 * 60_000
"""A device that was reached has to report within this time."""
MAX_SENT: Final = 500
"""Devices that one transaction sends to."""

_log = log.get(__name__)


@dataclass
class RolloutAdvance:
    """What one look at the rollouts changed."""

    wake: list[str] = field(default_factory=list)
    """Devices that should have another state now."""
    changed: set[tuple[str, str]] = field(default_factory=set)
    """Tenants and rollouts."""


def advance(sql: Sql, now: int) -> RolloutAdvance:
    """Send what is to be sent, pause what fails, end what is done."""
    result = RolloutAdvance()
    for rollout in running(sql):
        advance_one(sql, rollout, now, result)
    return result


def running(sql: Sql) -> list[str]:
    """The rollouts of all tenants that go on."""
    return [row["id"] for row in sql.rows("SELECT id FROM rollout WHERE state = 'running' ORDER BY id")]


def advance_one(sql: Sql, rollout: str, now: int, result: RolloutAdvance) -> RolloutAdvance:
    """The same for one rollout, added to `result`."""
    # Locks the row: a pause, or another node that does the same, waits until this is committed.
    locked = sql.rows("UPDATE rollout SET state = 'running' WHERE id = ? AND state = 'running' RETURNING *", rollout)
    for row in locked:
        _advance_locked(sql, row, now, result)
    return result


async def advance_forever(plane: ControlPlane) -> None:
    """The task of a node: each rollout each second, in a transaction of its own; then tell the devices and the page."""
    failing: set[str] = set()
    while True:
        before, failing = failing, set()
        try:
            rollouts = await plane.store.read(running)
        except DatabaseError as error:
            rollouts = []
            failing.add("")
            if "" not in before:
                _log.error("rollouts can't be read; trying again", reason=error.message)
        for rollout in rollouts:
            try:
                await _advance(plane, rollout)
            except Exception as error:  # noqa: BLE001 -- one that can't go on must not stop those of other tenants
                failing.add(rollout)
                if rollout not in before:
                    _log.error("a rollout can't go on; trying again", rollout=rollout, reason=str(error))
        await asyncio.sleep(ADVANCE_INTERVAL_S)


async def _advance(plane: ControlPlane, rollout: str) -> None:
    result = await plane.store.write(lambda sql: advance_one(sql, rollout, now_ms(), RolloutAdvance()))
    for device in result.wake:
        await plane.hub.wake(device, "twin")
    for tenant, changed in result.changed:
        await plane.hub.announce(tenant, "rollout", id=changed)


def _advance_locked(sql: Sql, row: Row, now: int, result: RolloutAdvance) -> None:
    changed = _fail_silent(sql, row["id"], now)
    blocking = _note_reached(sql, row["id"], now)
    failures = sql.rows(
        "SELECT device.name, rollout_device.error FROM rollout_device JOIN device ON device.id = rollout_device.device"
        " WHERE rollout_device.rollout = ? AND rollout_device.state = 'failed' ORDER BY rollout_device.changed_at DESC,"
        " rollout_device.wave DESC, device.name DESC",
        row["id"],
    )
    waiting = sql.row("SELECT min(wave) AS wave FROM rollout_device WHERE rollout = ? AND state = 'waiting'", row["id"])
    assert waiting is not None
    if len(failures) > row["max_failures"]:
        last = failures[0]
        reason = f"failed on {len(failures)}, the last one {last['name']}: {last['error']}"
        _end(sql, row["id"], "paused", reason, now)
        changed = True
    elif waiting["wave"] is not None and not any(wave < waiting["wave"] for wave in blocking):
        changed |= _send_wave(sql, row, waiting["wave"], now, result)
    elif waiting["wave"] is None and not blocking:
        _end(sql, row["id"], "done", "", now)
        changed = True
    if changed:
        result.changed.add((row["tenant"], row["id"]))


def _send_wave(sql: Sql, row: Row, wave: int, now: int, result: RolloutAdvance) -> bool:
    sent = 0
    for each in sql.rows(
        "SELECT rollout_device.device, rollout_device.version, device.revoked_at,"  # noqa: S608 -- fixed texts
        " CASE WHEN node.id IS NULL THEN 1 ELSE 0 END AS offline"
        f" FROM rollout_device JOIN device ON device.id = rollout_device.device {_ONLINE}"
        " WHERE rollout_device.rollout = ? AND rollout_device.wave = ? AND rollout_device.state = 'waiting'"
        " ORDER BY device.name LIMIT ?",
        *(now - NODE_TIMEOUT_MS, row["id"], wave, max(0, MAX_SENT - len(result.wake))),
    ):
        state, error = "sent", OFFLINE if each["offline"] else ""
        if each["revoked_at"] is not None:
            state, error = "replaced", "the device was revoked"
        sent += _send(sql, row, each, state, error, now)
        if state == "sent":
            result.wake.append(each["device"])
    return sent > 0


def _send(sql: Sql, row: Row, each: Row, state: str, error: str, now: int) -> int:
    """Ask one device for the personality, unless another node just did; remember what it had."""
    key = (row["id"], each["device"])
    if not sql.run(
        "UPDATE rollout_device SET state = ?, error = ?, changed_at = ?"
        " WHERE rollout = ? AND device = ? AND state = 'waiting'",
        *(state, error, now, *key),
    ):
        return 0
    if state == "sent":
        before = twins.get(sql, each["device"]).desired.persona
        wanted = Persona(id=row["persona"], etag=row["etag"]).model_dump()
        by, message = f"rollout {row['id']}", row["transition_message"]
        version = twins.change_persona(sql, each["device"], wanted, by=by, transition_message=message).version
        if each["version"] is None:  # not a repetition
            sql.run("UPDATE rollout_device SET previous = ? WHERE rollout = ? AND device = ?", stored(before), *key)
        sql.run("UPDATE rollout_device SET version = ? WHERE rollout = ? AND device = ?", version, *key)
    return 1


def _note_reached(sql: Sql, rollout: str, now: int) -> set[int]:
    """The waves that wait for a report. A device that was offline and has connected has its time from now on."""
    waves = set()
    for row in sql.rows(
        "SELECT rollout_device.device, rollout_device.wave, rollout_device.error, node.id AS node"  # noqa: S608 -- as above
        f" FROM rollout_device {_ONLINE} WHERE rollout_device.rollout = ? AND rollout_device.state = 'sent'",
        *(now - NODE_TIMEOUT_MS, rollout),
    ):
        if row["error"] != OFFLINE:
            waves.add(row["wave"])
        elif row["node"] is not None:
            waves.add(row["wave"])
            sql.run(
                "UPDATE rollout_device SET error = '', changed_at = ?"
                " WHERE rollout = ? AND device = ? AND state = 'sent'",
                *(now, rollout, row["device"]),
            )
    return waves


def _fail_silent(sql: Sql, rollout: str, now: int) -> bool:
    minutes = REPORT_TIMEOUT_MS // 60_000
    return bool(
        sql.run(
            "UPDATE rollout_device SET state = 'failed', error = ?, changed_at = ?"
            " WHERE rollout = ? AND state = 'sent' AND error <> ? AND changed_at <= ?",
            *(f"it has not reported within {minutes} minutes", now, rollout, OFFLINE, now - REPORT_TIMEOUT_MS),
        )
    )


def _end(sql: Sql, rollout: str, state: str, reason: str, now: int) -> None:
    sql.run("UPDATE rollout SET state = ?, reason = ?, changed_at = ? WHERE id = ?", state, reason[:500], now, rollout)


_ONLINE: Final = (
    "LEFT JOIN connection ON connection.device = rollout_device.device AND connection.closed_at IS NULL"
    " LEFT JOIN node ON node.id = connection.node AND node.seen_at > ?"
)
