"""The registry of devices: names, groups, and the tokens that they connect with. Each belongs to one tenant.

A token is `dev_DEVICE_SECRET`. The secret has 256 random bits, so a plain SHA-256 of it can't be reversed. Two may be
valid at a time: a device gets a new one, uses it, and only then the old one is revoked.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.fleet.control.store.store import Row, Sql
from reachy_mind.fleet.protocol.frame import now_ms
from reachy_mind.fleet.protocol.message_ids import uuid7

MAX_TOKENS: Final = 4
"""Of one device that are valid at a time."""
MAX_ERROR_CHARS: Final = 500
ROTATION_OVERLAP_MS: Final = 24 * 3600 * 1000
"""How long an old token stays valid after a new one was made."""
_NAME = re.compile(r"\w[\w .'_-]{0,63}")
_TOKEN = re.compile(r"dev_(?P<device>[0-9a-f]{12})_(?P<secret>[A-Za-z0-9_-]{43})")


class NotInTenant(MindError):
    """There is no such thing, or it belongs to another tenant."""

    code = "NOT_FOUND"


class DeviceRefused(MindError):
    """A device showed no token, or one that is not valid."""

    code = "UNAUTHORIZED"


@dataclass(frozen=True, slots=True)
class Device:
    """A device as the registry knows it."""

    id: str
    tenant: str
    name: str
    created_at: int
    revoked_at: int | None
    boot: str | None
    agent: str
    caps: tuple[str, ...]
    last_seen_at: int | None
    heartbeat: dict[str, Any] | None
    down_epoch: str
    state: str
    """What it is doing, by its last heartbeat."""
    trouble: str
    """See `device_trouble`."""
    error: str
    """The last one that it reported."""
    error_at: int | None
    groups: tuple[str, ...] = ()


def add(sql: Sql, tenant: str, name: str, groups: Sequence[str] = ()) -> Device:
    """A new device. Raises InvalidParameter for a name that is taken or none."""
    check_name(name)
    device_id = secrets.token_hex(6)
    made = sql.row(  # one statement: two at once with one name are told the same as one after the other
        "INSERT INTO device (id, tenant, name, created_at, down_epoch) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (tenant, name) DO NOTHING RETURNING id",
        *(device_id, tenant, name, now_ms(), uuid7()),
    )
    if made is None:
        raise InvalidParameter(f"there is a device called {name} already", hint="choose another name, or rename it")
    set_groups(sql, tenant, device_id, groups)
    return get(sql, tenant, device_id)


def get(sql: Sql, tenant: str, which: str) -> Device:
    """A device of a tenant by its id or name; an id counts before a name that looks like one. Raises NotFound."""
    row = sql.row(
        "SELECT * FROM device WHERE tenant = ? AND (id = ? OR name = ?) ORDER BY CASE WHEN id = ? THEN 0 ELSE 1 END",
        *(tenant, which, which, which),
    )
    if row is None:
        raise NotInTenant(f"no device {which[:60]!r}", hint="reachy-mind fleet devices lists them")
    return with_groups(sql, [row])[0]


def note_error(sql: Sql, device: str, payload: dict[str, Any], at: int) -> None:
    """A device reports an error; `at` by its clock."""
    text = payload.get("message") or payload.get("code") or "it did not say which"
    plain = str(text)[:MAX_ERROR_CHARS].encode("utf-8", "replace").decode().replace("\0", "")
    sql.run("UPDATE device SET error = ?, error_at = ? WHERE id = ?", plain, at, device)


def rename(sql: Sql, device: Device, name: str) -> None:
    """Raises InvalidParameter for a name that is taken or none."""
    check_name(name)
    if sql.row("SELECT id FROM device WHERE tenant = ? AND name = ? AND id <> ?", device.tenant, name, device.id):
        raise InvalidParameter(f"there is a device called {name} already", hint="choose another name")
    sql.run("UPDATE device SET name = ? WHERE id = ?", name, device.id)


def set_groups(sql: Sql, tenant: str, device: str, groups: Sequence[str]) -> None:
    """Put a device into these groups and no others; new ones are made. Raises InvalidParameter."""
    for name in groups:
        check_name(name, "group")
        sql.run("INSERT INTO device_group (tenant, name) VALUES (?, ?) ON CONFLICT DO NOTHING", tenant, name)
    sql.run("DELETE FROM device_member WHERE device = ?", device)
    for name in dict.fromkeys(groups):
        sql.run("INSERT INTO device_member (device, group_name) VALUES (?, ?)", device, name)


def revoke(sql: Sql, device: Device) -> None:
    """Refuse a device for ever: it has to be enrolled again, as a new one. Its name is free again."""
    now = now_ms()
    freed = f"{device.name[:50]} ({device.id})"
    sql.run("UPDATE device SET revoked_at = ?, name = ? WHERE id = ?", now, freed, device.id)
    sql.run("UPDATE device_token SET revoked_at = ? WHERE device = ? AND revoked_at IS NULL", now, device.id)


def new_token(sql: Sql, device: str) -> str:
    """A token, shown this once. Others of this device stay valid for a day, so that it can change over."""
    now = now_ms()
    sql.run(
        "UPDATE device_token SET expires_at = ? WHERE device = ? AND revoked_at IS NULL"
        " AND (expires_at IS NULL OR expires_at > ?)",
        *(now + ROTATION_OVERLAP_MS, device, now + ROTATION_OVERLAP_MS),
    )
    valid = "SELECT id FROM device_token WHERE device = ? AND revoked_at IS NULL AND expires_at > ? ORDER BY created_at"
    for row in sql.rows(valid, device, now)[: -(MAX_TOKENS - 1)]:
        sql.run("UPDATE device_token SET revoked_at = ? WHERE id = ?", now, row["id"])
    secret = secrets.token_urlsafe(32)
    sql.run(
        "INSERT INTO device_token (id, device, sha256, created_at) VALUES (?, ?, ?, ?)",
        *(uuid7(), device, hash_secret(secret), now),
    )
    return f"dev_{device}_{secret}"


def authenticate(sql: Sql, text: str) -> Device:
    """The device with this token. Raises DeviceRefused."""
    parts = _TOKEN.fullmatch(text)
    if parts is None:
        raise DeviceRefused("this is no token of a device", hint="enrol the device: reachy-mind fleet enroll NAME")
    row = sql.row("SELECT * FROM device WHERE id = ?", parts["device"])
    given, now = hash_secret(parts["secret"]), now_ms()
    found = sql.rows("SELECT sha256, expires_at, revoked_at FROM device_token WHERE device = ?", parts["device"])
    matching = [each for each in found if hmac.compare_digest(str(each["sha256"]), given)]
    if row is None or not matching:
        raise DeviceRefused("unknown token", hint="enrol the device: reachy-mind fleet enroll NAME")
    if row["revoked_at"] is not None or matching[0]["revoked_at"] is not None:
        raise DeviceRefused("the token was revoked", hint="enrol the device again: reachy-mind fleet enroll NAME")
    if matching[0]["expires_at"] is not None and matching[0]["expires_at"] <= now:
        raise DeviceRefused("the token has expired", hint="enrol the device again: reachy-mind fleet enroll NAME")
    return _device(row, ())


def has_older_tokens(sql: Sql, text: str) -> bool:
    """Whether `note_used_token` would change anything."""
    parts = _TOKEN.fullmatch(text)
    assert parts is not None, "it was authenticated"
    row = sql.row(
        "SELECT count(*) AS n FROM device_token WHERE device = ? AND revoked_at IS NULL AND created_at <"
        " (SELECT created_at FROM device_token WHERE device = ? AND sha256 = ?)",
        *(parts["device"], parts["device"], hash_secret(parts["secret"])),
    )
    return row is not None and row["n"] > 0


def note_used_token(sql: Sql, text: str) -> None:
    """A device has connected with this token: older ones are not needed any more."""
    parts = _TOKEN.fullmatch(text)
    assert parts is not None, "it was authenticated"
    sql.run(
        "UPDATE device_token SET revoked_at = ? WHERE device = ? AND revoked_at IS NULL AND created_at <"
        " (SELECT created_at FROM device_token WHERE device = ? AND sha256 = ?)",
        *(now_ms(), parts["device"], parts["device"], hash_secret(parts["secret"])),
    )


def hash_secret(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def check_name(name: str, what: str = "device") -> None:
    """Raises InvalidParameter."""
    if not _NAME.fullmatch(name):
        raise InvalidParameter(f"{name[:60]!r} can't be the name of a {what}", hint="up to 64 letters, digits, . _ -")


def with_groups(sql: Sql, rows: Sequence[Row]) -> list[Device]:
    """The devices of these rows of the table."""
    if not rows:
        return []
    marks = ", ".join("?" * len(rows))
    members = sql.rows(
        f"SELECT device, group_name FROM device_member WHERE device IN ({marks}) ORDER BY group_name",  # noqa: S608 -- only marks
        *(row["id"] for row in rows),
    )
    groups: dict[str, list[str]] = {}
    for member in members:
        groups.setdefault(member["device"], []).append(member["group_name"])
    return [_device(row, tuple(groups.get(row["id"], ()))) for row in rows]


def _device(row: Row, groups: tuple[str, ...]) -> Device:
    about = dict(row)
    about["caps"] = tuple(json.loads(about["caps"]))
    about["heartbeat"] = json.loads(about["heartbeat"]) if about["heartbeat"] else None
    return Device(**about, groups=groups)
