"""Activities: several devices play one timeline together. `activity_advance` starts and ends them, on any node.

    preparing -> ready -> running <-> paused -> ended

`ready`: the start is fixed and lies ahead. Each change is stored together with the commands that tell the devices, and
says at which time of the hub's clock it takes effect, so that it does so everywhere at once. The states of a device:
`preparing` (it was asked, and may come late), `ready`, `playing`, `finished`, `failed`, `left`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final, Literal

from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.fleet.activities.payloads import EndActivity, MoveActivity, PrepareActivity, plain_text
from reachy_mind.fleet.control import downlink
from reachy_mind.fleet.control.devices import NotInTenant
from reachy_mind.fleet.control.hub import NODE_TIMEOUT_MS
from reachy_mind.fleet.control.store.store import Row, Sql
from reachy_mind.fleet.protocol.frame import now_ms
from reachy_mind.fleet.protocol.message_ids import uuid7

MAX_DEVICES: Final = 1000
PREPARE_EXPIRES_MS: Final = 3600 * 1000
"""A device that connects later does not join any more."""
LEAD_MS, LEAD_TRIPS, MAX_LEAD_MS = 500, 4, 10_000
"""How far ahead a change lies: at least so long, and so many of the slowest device's round trips."""
PARTICIPANT_STATES: Final = ("preparing", "ready", "playing", "finished", "failed", "left")
OnEmergency = Literal["end", "pause", "ignore"]


class ActivityConflict(MindError):
    """An activity can't do this now."""

    code = "CONFLICT"


def create(
    sql: Sql,
    tenant: str,
    chosen: Sequence[str],
    prepared: PrepareActivity,
    *,
    group: str | None,
    quorum: int | None,
    deadline_s: float,
    on_emergency: OnEmergency,
    emergency_text: str,
    by: str,
) -> list[str]:
    """Ask these devices (ids) to get ready for `prepared`: the devices to wake.

    `quorum`: it starts when so many are ready; None: all that are online. Raises InvalidParameter, ActivityConflict.
    """
    if not chosen or len(chosen) > MAX_DEVICES:
        raise InvalidParameter(f"an activity has 1 to {MAX_DEVICES} devices, not {len(chosen)}", hint="choose others")
    if quorum is not None and quorum > len(chosen):
        raise InvalidParameter(
            f"the quorum is {quorum}, and there are {len(chosen)} devices", hint="choose a lower one"
        )
    sql.run("UPDATE tenant SET name = name WHERE id = ?", tenant)  # two of a tenant are made one after another
    busy = sql.rows(
        "SELECT activity_device.device, activity.id FROM activity_device"
        " JOIN activity ON activity.id = activity_device.activity WHERE activity.tenant = ?"
        " AND activity.state <> 'ended' AND activity_device.state IN ('preparing', 'ready', 'playing')",
        tenant,
    )
    taken = [row for row in busy if row["device"] in set(chosen)]
    if taken:
        raise ActivityConflict(
            f"{len(taken)} of these devices take part in another activity ({taken[0]['id']})", hint="end that one first"
        )
    now = now_ms()
    sql.run(
        "INSERT INTO activity (id, tenant, kind, group_name, prepared, quorum, deadline_at, on_emergency,"
        " emergency_text, state, heeded_at, created_at, created_by, changed_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?,"
        " 'preparing', ?, ?, ?, ?)",
        *(prepared.activity, tenant, prepared.kind, group, prepared.model_dump_json(), quorum or 0),
        *(now + round(deadline_s * 1000), on_emergency, emergency_text, now, now, by, now),
    )
    payload, row = prepared.model_dump(mode="json", exclude_none=True), {"id": prepared.activity, "tenant": tenant}
    asked = []
    for device in chosen:
        sql.run(
            "INSERT INTO activity_device (activity, device, state, changed_at) VALUES (?, ?, 'preparing', ?)",
            *(prepared.activity, device, now),
        )
        expires_at = now + PREPARE_EXPIRES_MS
        if queue_for(sql, row, device, "activity.prepare", payload, by=by, expires_at=expires_at):
            asked.append(device)
    if not asked:
        refused = participants(sql, prepared.activity)[0]["reason"]
        raise InvalidParameter(f"no device can be asked: {refused}", hint="make it shorter, or choose other devices")
    return asked


def new_id() -> str:
    """Of an activity that will be created."""
    return uuid7()


def pause(sql: Sql, tenant: str, activity: str, *, by: str, reason: str = "") -> list[str]:
    """All devices fall silent at the same time: those to wake. Raises NotFound, ActivityConflict."""
    row = lock(sql, tenant, activity, ("ready", "running"))
    return pause_locked(sql, row, reason or f"paused by {by}", by=by)


def pause_locked(sql: Sql, row: Row, reason: str, *, by: str) -> list[str]:
    """The same for a row that is locked."""
    now = now_ms()
    at = max(now + row["lead_ms"], row["at"])
    position = row["position_ms"] + at - row["at"]
    if position >= row["duration_ms"]:
        raise ActivityConflict("it ends just now", hint="it was not changed")
    payload = MoveActivity(activity=row["id"], at=at, position_ms=position)
    change(sql, row["id"], state="paused", reason=reason[:300], at=at, position_ms=position)
    return tell(sql, row, "activity.pause", payload.model_dump(), ("playing",), by=by)


def resume(sql: Sql, tenant: str, activity: str, *, by: str) -> list[str]:
    """All go on at the same time, at the position of the pause: the devices to wake. Raises as `pause`."""
    row = lock(sql, tenant, activity, ("paused",))
    at = max(now_ms() + row["lead_ms"], row["at"])
    change(sql, row["id"], state="running", reason="", at=at)
    payload = MoveActivity(activity=row["id"], at=at, position_ms=row["position_ms"])
    return tell(sql, row, "activity.resume", payload.model_dump(), ("playing",), by=by)


def end(
    sql: Sql, tenant: str, activity: str, *, by: str, devices: Sequence[str] | None = None, reason: str = ""
) -> list[str]:
    """End it, or let these devices (ids) leave: the devices to wake. Raises NotFound, ActivityConflict."""
    row = lock(sql, tenant, activity, ("preparing", "ready", "running", "paused"))
    reason = reason or f"ended by {by}"
    if devices is None:
        return end_locked(sql, row, reason, by=by)
    members = {each["device"] for each in participants(sql, activity)}
    if strangers := [device for device in devices if device not in members]:
        raise NotInTenant(
            f"{len(strangers)} of these devices do not take part", hint="fleet activity show ID lists them"
        )
    return leave_locked(sql, row, devices, reason, by=by)


def end_locked(sql: Sql, row: Row, reason: str, *, by: str, say: str = "", silent: Sequence[str] = ()) -> list[str]:
    """End it for all; devices say `say`, but for those in `silent`."""
    woken = leave_locked(sql, row, None, reason, by=by, say=say, silent=silent)
    change(sql, row["id"], state="ended", reason=reason[:300])
    return woken


def leave_locked(
    sql: Sql,
    row: Row,
    devices: Sequence[str] | None,
    reason: str,
    *,
    by: str,
    say: str = "",
    silent: Sequence[str] = (),
) -> list[str]:
    """These devices, or all, leave; the others are not disturbed. The last one to leave ends it."""
    woken = []
    language = PrepareActivity.model_validate_json(row["prepared"]).language
    for each in participants(sql, row["id"], ("preparing", "ready", "playing")):
        device = each["device"]
        if devices is not None and device not in devices:
            continue
        payload = EndActivity(
            activity=row["id"], reason=plain_text(reason), say="" if device in silent else say, language=language
        )
        queue_for(sql, row, device, "activity.end", payload.model_dump(), by=by)
        set_device(sql, row["id"], device, "left", reason)
        woken.append(device)
    if devices is not None and not participants(sql, row["id"], ("preparing", "ready", "playing")):
        change(sql, row["id"], state="ended", reason=reason[:300])
    return woken


def lock(sql: Sql, tenant: str, activity: str, states: Sequence[str]) -> Row:
    """The row of an activity in one of these states; another node waits. Raises NotFound, ActivityConflict."""
    marks = ", ".join("?" * len(states))
    rows = sql.rows(
        f"UPDATE activity SET changed_at = ? WHERE id = ? AND tenant = ? AND state IN ({marks}) RETURNING *",  # noqa: S608 -- only marks
        *(now_ms(), activity, tenant, *states),
    )
    if rows:
        return rows[0]
    found = sql.row("SELECT state FROM activity WHERE id = ? AND tenant = ?", activity, tenant)
    if found is None:
        raise NotInTenant(f"no activity {activity[:64]!r}", hint="it may belong to another tenant")
    raise ActivityConflict(f"this activity is {found['state']}", hint="it was not changed")


def change(sql: Sql, activity: str, **columns: Any) -> None:
    """Change columns of an activity."""
    changes = ", ".join(f"{name} = ?" for name in columns)
    sql.run(
        f"UPDATE activity SET {changes}, changed_at = ? WHERE id = ?",  # noqa: S608 -- names of ours
        *columns.values(),
        now_ms(),
        activity,
    )


def tell(sql: Sql, row: Row, type_: str, payload: dict[str, Any], states: Sequence[str], *, by: str) -> list[str]:
    """Queue a command for the devices in these states: them."""
    wanted = [each["device"] for each in participants(sql, row["id"], states)]
    return [device for device in wanted if queue_for(sql, row, device, type_, payload, by=by)]


def queue_for(
    sql: Sql, row: Row, device: str, type_: str, payload: dict[str, Any], *, by: str, expires_at: int | None = None
) -> bool:
    """Queue a command for one device. One that takes no more has failed, and disturbs nobody else."""
    try:
        downlink.queue(sql, device, row["tenant"], type_, payload, by=by, expires_at=expires_at)
    except InvalidParameter as error:  # raised before anything is written
        set_device(sql, row["id"], device, "failed", error.message)
        return False
    return True


def set_device(sql: Sql, activity: str, device: str, state: str, reason: str) -> None:
    """Change the state of a device in an activity."""
    sql.run(
        "UPDATE activity_device SET state = ?, reason = ?, changed_at = ? WHERE activity = ? AND device = ?",
        *(state, reason[:300], now_ms(), activity, device),
    )


def participants(sql: Sql, activity: str, states: Sequence[str] = PARTICIPANT_STATES) -> list[Row]:
    """Its devices, by name, with whether each is online."""
    marks = ", ".join("?" * len(states))
    return sql.rows(
        "SELECT activity_device.*, device.name, CASE WHEN node.id IS NULL THEN 0 ELSE 1 END AS online"  # noqa: S608 -- only marks
        " FROM activity_device JOIN device ON device.id = activity_device.device"
        " LEFT JOIN connection ON connection.device = device.id AND connection.closed_at IS NULL"
        " LEFT JOIN node ON node.id = connection.node AND node.seen_at > ?"
        f" WHERE activity_device.activity = ? AND activity_device.state IN ({marks}) ORDER BY device.name",
        *(now_ms() - NODE_TIMEOUT_MS, activity, *states),
    )


def get(sql: Sql, tenant: str, activity: str) -> dict[str, Any]:
    """An activity with its devices. Raises NotFound."""
    row = sql.row("SELECT * FROM activity WHERE id = ? AND tenant = ?", activity, tenant)
    if row is None:
        raise NotInTenant(f"no activity {activity[:64]!r}", hint="it may belong to another tenant")
    shown = ("device", "name", "state", "reason", "changed_at")
    devices = [
        {key: each[key] for key in shown} | {"online": bool(each["online"])} for each in participants(sql, activity)
    ]
    return _public(sql, row) | {"devices": devices}


def listed(sql: Sql, tenant: str, *, before: str = "", limit: int = 100) -> list[dict[str, Any]]:
    """A page of a tenant's activities, the latest first, those before the id `before`."""
    rows = sql.rows(
        "SELECT * FROM activity WHERE tenant = ? AND (? = '' OR id < ?) ORDER BY id DESC LIMIT ?",
        *(tenant, before, before, limit),
    )
    return [_public(sql, row) for row in rows]


def _public(sql: Sql, row: Row) -> dict[str, Any]:
    shown = ("id", "kind", "state", "reason", "on_emergency", "deadline_at", "duration_ms", "created_at", "created_by")
    counted = sql.rows("SELECT state, count(*) AS n FROM activity_device WHERE activity = ? GROUP BY state", row["id"])
    counts = dict.fromkeys(PARTICIPANT_STATES, 0) | {each["state"]: each["n"] for each in counted}
    parts = json.loads(row["prepared"])["parts"]
    return {key: row[key] for key in shown} | {
        "group": row["group_name"],
        "quorum": row["quorum"] or None,
        "at": row["at"],
        "position_ms": row["position_ms"],
        "parts": len(parts),
        "counts": counts,
        "changed_at": row["changed_at"],
    }
