"""Emergencies: what devices report when somebody presses for help, until a person has answered.

Presses of a device while its emergency is open belong to it; the first one after an acknowledgement opens a new one. A
cancellation on the device is noted, and the emergency stays open: only a person acknowledges. A test goes the same
ways, and says so; a real press never joins a test.
"""

from __future__ import annotations

from typing import Any, Final

from reachy_mind.errors import MindError
from reachy_mind.fleet.control import downlink, escalation_policy, operators, persona_requests
from reachy_mind.fleet.control.devices import Device, NotInTenant
from reachy_mind.fleet.control.store.store import Row, Sql, plain_text
from reachy_mind.fleet.protocol.frame import Frame, now_ms
from reachy_mind.fleet.protocol.message_ids import uuid7

PRESSED: Final = "emergency.pressed"
CANCELLED: Final = "emergency.cancelled"
ACKNOWLEDGED: Final = "emergency.acknowledged"
CANCELLED_NOTE: Final = "cancelled on the device"
MAX_MESSAGE_CHARS: Final = 500
MAX_NOTE_CHARS: Final = 1000
MAX_NOTICES_SHOWN: Final = 200
_TEST: Final = "test-"
"""How the ids of tests begin; those of devices never do."""


class AnsweredAlready(MindError):
    """Somebody else acknowledged or closed it before."""

    code = "CONFLICT"


def is_test(emergency: str) -> bool:
    return emergency.startswith(_TEST)


def note_event(sql: Sql, device: str, tenant: str, frame: Frame) -> str | None:
    """What an event of a device changes, in the transaction that stores it: the id of the emergency it belongs to."""
    if frame.type == PRESSED:
        return _note_press(sql, device, tenant, frame)
    if frame.type == CANCELLED:
        return _note_cancelled(sql, device)
    return None


def begin_test(sql: Sql, device: Device, *, by: str) -> str:
    """An emergency that is a test. One that is open already is taken again."""
    for row in _open_ones(sql, device.id):
        if is_test(row["id"]):
            return str(row["id"])
    now = now_ms()
    return _insert(sql, device.id, device.tenant, _TEST + uuid7(), now, f"TEST, started by {by}")


def acknowledge(sql: Sql, tenant: str, emergency: str, *, by: str, note: str = "") -> Row:
    """A person answers: nobody is told any more, and the device learns of it. Raises NotFound, AnsweredAlready."""
    now = now_ms()
    before = _get(sql, tenant, emergency)
    joined = "; ".join(filter(None, (before["note"], note[:MAX_NOTE_CHARS])))
    changed = sql.run(
        "UPDATE emergency SET state = 'acknowledged', acked_at = ?, acked_by = ?, note = ?, next_at = NULL"
        " WHERE id = ? AND tenant = ? AND state = 'open'",
        *(now, by, joined, emergency, tenant),
    )
    if not changed:
        now_is = _get(sql, tenant, emergency)
        raise AnsweredAlready(f"{now_is['acked_by']} has acknowledged it already", hint="it was not changed")
    person = "" if by.startswith(operators.LOCAL) else by  # the device says it aloud
    payload: dict[str, Any] = {"emergency": emergency, "by": person, "note": note[:MAX_NOTE_CHARS]}
    if is_test(emergency):
        payload["test"] = True
    downlink.queue(sql, before["device"], tenant, ACKNOWLEDGED, payload, by=by, prio=0, re=emergency)
    return _get(sql, tenant, emergency)


def close(sql: Sql, tenant: str, emergency: str, *, by: str) -> Row:
    """It is over: the device gets the personality that it had before.

    Raises NotFound, and AnsweredAlready unless it was acknowledged before and is not closed yet.
    """
    changed = sql.run(
        "UPDATE emergency SET state = 'closed', closed_at = ?, closed_by = ?"
        " WHERE id = ? AND tenant = ? AND state = 'acknowledged'",
        *(now_ms(), by, emergency, tenant),
    )
    row = _get(sql, tenant, emergency)
    if not changed:
        if row["state"] == "open":
            raise AnsweredAlready("nobody has acknowledged it yet", hint="acknowledge it first")
        raise AnsweredAlready(f"{row['closed_by']} has closed it already", hint="it was not changed")
    persona_requests.end_emergency(sql, row["device"])
    return row


def get(sql: Sql, tenant: str, emergency: str) -> dict[str, Any]:
    """An emergency with whom it was told, the latest first. Raises NotFound."""
    row = _get(sql, tenant, emergency)
    notices = sql.rows(
        "SELECT level, channel, target, at, outcome FROM emergency_notice WHERE emergency = ?"
        " ORDER BY at DESC, id DESC LIMIT ?",
        *(emergency, MAX_NOTICES_SHOWN),
    )
    return public(row) | {"notices": notices}


def listed(
    sql: Sql, tenant: str, *, state: str | None = None, device: str | None = None, before: str = "", limit: int = 100
) -> list[dict[str, Any]]:
    """A page of a tenant's emergencies, the latest first; `before`: the cursor of the page before."""
    conditions, parameters = ["emergency.tenant = ?"], [tenant]
    for column, value in (("state", state), ("device", device)):
        if value is not None:
            conditions.append(f"emergency.{column} = ?")
            parameters.append(value)
    if before:
        stamp, _, last = before.partition(":")
        conditions.append("(received_at < ? OR (received_at = ? AND emergency.id < ?))")
        parameters += [int(stamp), int(stamp), last]  # type: ignore[list-item]
    rows = sql.rows(
        "SELECT emergency.*, device.name AS device_name FROM emergency JOIN device ON device.id = emergency.device"  # noqa: S608 -- fixed texts
        f" WHERE {' AND '.join(conditions)} ORDER BY received_at DESC, emergency.id DESC LIMIT ?",
        *parameters,
        limit,
    )
    return [public(row) for row in rows]


def public(row: Row) -> dict[str, Any]:
    """An emergency as operators see it."""
    hidden = ("tenant", "claimed_until")
    shown = {key: value for key, value in row.items() if key not in hidden}
    return shown | {"test": is_test(row["id"]), "cursor": f"{row['received_at']}:{row['id']}"}


def add_notice(sql: Sql, emergency: str, level: int, channel: str, target: str, outcome: str, *, at: int) -> None:
    sql.run(
        "INSERT INTO emergency_notice (id, emergency, level, channel, target, at, outcome)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        *(uuid7(), emergency, level, channel, target, at, outcome[:MAX_MESSAGE_CHARS]),
    )


def _note_press(sql: Sql, device: str, tenant: str, frame: Frame) -> str:
    known = sql.row("SELECT device FROM emergency WHERE id = ?", frame.id)
    if known is not None and known["device"] == device:  # sent again after a device got a new epoch
        return frame.id
    message = _plain(frame.p.get("message"))
    for row in _open_ones(sql, device):
        if not is_test(row["id"]):
            sql.run(
                "UPDATE emergency SET presses = presses + 1, last_press_at = ?,"
                " message = CASE WHEN ? = '' THEN message ELSE ? END WHERE id = ?",
                *(now_ms(), message, message, row["id"]),
            )
            return str(row["id"])
    usable = known is None and not is_test(frame.id)
    return _insert(sql, device, tenant, frame.id if usable else uuid7(), frame.ts, message)


def _note_cancelled(sql: Sql, device: str) -> str | None:
    for row in _open_ones(sql, device):
        if not is_test(row["id"]):
            note = (
                row["note"] if CANCELLED_NOTE in row["note"] else "; ".join(filter(None, (row["note"], CANCELLED_NOTE)))
            )
            sql.run("UPDATE emergency SET note = ? WHERE id = ?", note, row["id"])
            add_notice(sql, row["id"], row["level"], "device", device, CANCELLED_NOTE, at=now_ms())
            return str(row["id"])
    return None


def _insert(sql: Sql, device: str, tenant: str, emergency: str, pressed_at: int, message: str) -> str:
    now = now_ms()
    next_at = escalation_policy.of_tenant(sql, tenant).next_at(now, 0, now)
    sql.run(
        "INSERT INTO emergency (id, tenant, device, state, pressed_at, received_at, presses, last_press_at, message,"
        " level, next_at) VALUES (?, ?, ?, 'open', ?, ?, 1, ?, ?, 0, ?)",
        *(emergency, tenant, device, pressed_at, now, now, message, next_at),
    )
    return emergency


def _plain(given: Any) -> str:
    """A text, whatever a device sent: its emergency must not fail for it."""
    text = given if isinstance(given, str) else ""
    return plain_text(text[:MAX_MESSAGE_CHARS])


def _open_ones(sql: Sql, device: str) -> list[Row]:
    return sql.rows("SELECT * FROM emergency WHERE device = ? AND state = 'open' ORDER BY received_at DESC", device)


def _get(sql: Sql, tenant: str, emergency: str) -> Row:
    row = sql.row(
        "SELECT emergency.*, device.name AS device_name FROM emergency JOIN device ON device.id = emergency.device"
        " WHERE emergency.id = ? AND emergency.tenant = ?",
        *(emergency, tenant),
    )
    if row is None:
        raise NotInTenant(f"no emergency {emergency[:64]!r}", hint="it may belong to another tenant")
    return row
