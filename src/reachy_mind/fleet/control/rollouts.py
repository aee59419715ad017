"""Rollouts: a personality for many devices, in waves. `rollout_waves` sends them, `rollout_progress` follows them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.fleet.control import devices, personas, twins
from reachy_mind.fleet.control.devices import NotInTenant
from reachy_mind.fleet.control.rollout_progress import counts, desired_persona
from reachy_mind.fleet.control.store.store import Row, Sql
from reachy_mind.fleet.protocol.frame import now_ms
from reachy_mind.fleet.protocol.handshake import Persona
from reachy_mind.fleet.protocol.message_ids import uuid7

MAX_DEVICES: Final = 100_000
_INSERT_ROWS: Final = 200


class RolloutConflict(MindError):
    """A rollout can't do this now."""

    code = "CONFLICT"


def all_devices(sql: Sql, tenant: str, group: str | None = None) -> list[str]:
    """The ids of a tenant's devices, or of those in a group, by name."""
    members, parameters = "", [tenant]
    if group is not None:
        if sql.row("SELECT name FROM device_group WHERE tenant = ? AND name = ?", tenant, group) is None:
            raise NotInTenant(f"no group {group[:64]!r}", hint="a group is made by putting a device into it")
        members = " AND id IN (SELECT device FROM device_member WHERE group_name = ?)"
        parameters.append(group)
    rows = sql.rows(
        f"SELECT id FROM device WHERE tenant = ? AND revoked_at IS NULL{members} ORDER BY name",  # noqa: S608 -- fixed texts
        *parameters,
    )
    return [row["id"] for row in rows]


def named_devices(sql: Sql, tenant: str, names: Sequence[str]) -> list[str]:
    """The ids of devices by id or name, in this order. Raises NotFound."""
    found = [devices.get(sql, tenant, name) for name in names]
    for device in found:
        if device.revoked_at is not None:
            raise NotInTenant(f"{device.name} was revoked", hint="leave it out")
    return list(dict.fromkeys(device.id for device in found))


def create(
    sql: Sql,
    tenant: str,
    chosen: Sequence[str],
    *,
    persona: str,
    etag: str | None = None,
    wave_size: int,
    max_failures: int,
    by: str,
    transition_message: str | None = None,
) -> str:
    """A rollout for these devices (ids); its first wave is sent within a second. Raises NotFound, RolloutConflict."""
    version = personas.get(sql, tenant, persona, etag)
    if not chosen or len(chosen) > MAX_DEVICES:
        raise InvalidParameter(f"a rollout has 1 to {MAX_DEVICES} devices, not {len(chosen)}", hint="choose others")
    sql.run("UPDATE tenant SET name = name WHERE id = ?", tenant)  # two rollouts of a tenant are made one after another
    busy = sql.rows(
        "SELECT DISTINCT rollout_device.device FROM rollout_device JOIN rollout ON rollout.id = rollout_device.rollout"
        " WHERE rollout.tenant = ? AND rollout.state IN ('running', 'paused')",
        tenant,
    )
    taken = {row["device"] for row in busy} & set(chosen)
    if taken:
        raise RolloutConflict(
            f"{len(taken)} of these devices are in another rollout that has not ended",
            hint="wait for it, end it, or roll it back",
        )
    rollout, now = uuid7(), now_ms()
    sql.run(
        "INSERT INTO rollout (id, tenant, persona, etag, wave_size, max_failures, state, created_at, created_by,"
        " changed_at, transition_message) VALUES (?, ?, ?, ?, ?, ?, 'running', ?, ?, ?, ?)",
        *(rollout, tenant, version["id"], version["etag"], wave_size, max_failures, now, by, now, transition_message),
    )
    rows = [(rollout, device, place // wave_size + 1, now) for place, device in enumerate(chosen)]
    for start in range(0, len(rows), _INSERT_ROWS):
        part = rows[start : start + _INSERT_ROWS]
        marks = ", ".join(["(?, ?, ?, 'waiting', ?)"] * len(part))
        sql.run(
            f"INSERT INTO rollout_device (rollout, device, wave, state, changed_at) VALUES {marks}",  # noqa: S608 -- only marks
            *(value for row in part for value in row),
        )
    return rollout


def pause(sql: Sql, tenant: str, rollout: str, *, by: str) -> None:
    """Send no more waves. Raises NotFound, RolloutConflict."""
    _change(sql, tenant, rollout, "paused", ("running",), f"paused by {by}")


def resume(sql: Sql, tenant: str, rollout: str) -> None:
    """Go on, and send it again to the devices where it failed. Raises NotFound, RolloutConflict."""
    _change(sql, tenant, rollout, "running", ("paused",), "")
    sql.run(
        "UPDATE rollout_device SET state = 'waiting', error = '', changed_at = ?"
        " WHERE rollout = ? AND state = 'failed'",
        *(now_ms(), rollout),
    )


def end(sql: Sql, tenant: str, rollout: str, *, by: str) -> None:
    """Leave it as it is: devices that wait don't get it any more. Raises NotFound, RolloutConflict."""
    _change(sql, tenant, rollout, "done", ("running", "paused"), f"ended by {by}")


def roll_back(sql: Sql, tenant: str, rollout: str, *, by: str) -> list[str]:
    """Give every device its personality of before, unless it should have another one by now: the devices to wake.

    Raises NotFound, RolloutConflict.
    """
    row = _change(sql, tenant, rollout, "rolled_back", ("running", "paused", "done"), f"rolled back by {by}")
    sent_out = Persona(id=row["persona"], etag=row["etag"])
    woken, now = [], now_ms()
    for each in sql.rows(
        "SELECT device, previous FROM rollout_device WHERE rollout = ? AND version IS NOT NULL AND state <> 'replaced'",
        rollout,
    ):
        ours = desired_persona(sql, each["device"]) == sent_out
        version = None
        if ours:
            previous = json.loads(each["previous"]) if each["previous"] else None
            version = twins.change_persona(sql, each["device"], previous, by=f"rollback by {by}").version
            woken.append(each["device"])
        sql.run(
            "UPDATE rollout_device SET state = ?, version = coalesce(?, version), error = '', changed_at = ?"
            " WHERE rollout = ? AND device = ?",
            *("rolled_back" if ours else "replaced", version, now, rollout, each["device"]),
        )
    return woken


def get(sql: Sql, tenant: str, rollout: str) -> dict[str, Any]:
    """Raises NotFound."""
    return _public(sql, [_get(sql, tenant, rollout)])[0]


def listed(sql: Sql, tenant: str, *, before: str = "", limit: int = 100) -> list[dict[str, Any]]:
    """A page of a tenant's rollouts, the latest first, those before the id `before`."""
    return _public(
        sql,
        sql.rows(
            "SELECT * FROM rollout WHERE tenant = ? AND (? = '' OR id < ?) ORDER BY id DESC LIMIT ?",
            *(tenant, before, before, limit),
        ),
    )


def _change(sql: Sql, tenant: str, rollout: str, state: str, from_states: Sequence[str], reason: str) -> Row:
    marks = ", ".join("?" * len(from_states))
    changed = sql.run(
        f"UPDATE rollout SET state = ?, reason = ?, changed_at = ? WHERE id = ? AND tenant = ? AND state IN ({marks})",  # noqa: S608 -- only marks
        *(state, reason, now_ms(), rollout, tenant, *from_states),
    )
    row = _get(sql, tenant, rollout)
    if not changed:
        raise RolloutConflict(f"this rollout is {row['state'].replace('_', ' ')}", hint="it was not changed")
    return row


def _get(sql: Sql, tenant: str, rollout: str) -> Row:
    row = sql.row("SELECT * FROM rollout WHERE id = ? AND tenant = ?", rollout, tenant)
    if row is None:
        raise NotInTenant(f"no rollout {rollout[:64]!r}", hint="it may belong to another tenant")
    return row


def _public(sql: Sql, rows: list[Row]) -> list[dict[str, Any]]:
    of = counts(sql, [row["id"] for row in rows])
    waves = {row["id"]: _waves(sql, row["id"]) for row in rows}
    return [
        {key: value for key, value in row.items() if key != "tenant"}
        | {"counts": of[row["id"]], "wave": waves[row["id"]][0], "waves": waves[row["id"]][1]}
        for row in rows
    ]


def _waves(sql: Sql, rollout: str) -> tuple[int, int]:
    """The last wave that was begun, and how many there are."""
    row = sql.row(
        "SELECT coalesce(max(CASE WHEN state <> 'waiting' THEN wave END), 0) AS begun, max(wave) AS total"
        " FROM rollout_device WHERE rollout = ?",
        rollout,
    )
    assert row is not None
    return int(row["begun"]), int(row["total"] or 0)
