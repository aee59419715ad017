"""Many devices at once, for tests under load: made with names, tokens and a group, and revoked, some hundreds in a
transaction.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from reachy_mind.fleet.control import devices
from reachy_mind.fleet.control.devices import hash_secret
from reachy_mind.fleet.control.store.store import Sql
from reachy_mind.fleet.protocol.frame import now_ms
from reachy_mind.fleet.protocol.message_ids import uuid7

MAX_DEVICES: Final = 20_000
CHUNK: Final = 500
"""Devices in one transaction."""
_ROWS: Final = 100
"""In one statement."""


@dataclass(frozen=True)
class BulkDevice:
    id: str
    name: str
    token: str


def names(prefix: str, count: int) -> list[str]:
    """`PREFIX-00001` and so on. Raises InvalidParameter for a prefix that makes no names."""
    made = [f"{prefix}-{number:05}" for number in range(1, count + 1)]
    devices.check_name(made[-1])
    return made


def add(sql: Sql, tenant: str, wanted: Sequence[str], group: str | None) -> list[BulkDevice]:
    """The devices that were made. Names that are taken are left out, as are those of two callers at the same time."""
    now = now_ms()
    if group is not None:
        devices.check_name(group, "group")
        sql.run("INSERT INTO device_group (tenant, name) VALUES (?, ?) ON CONFLICT DO NOTHING", tenant, group)
    made: list[BulkDevice] = []
    for start in range(0, len(wanted), _ROWS):
        rows = [(secrets.token_hex(6), tenant, name, now, uuid7()) for name in wanted[start : start + _ROWS]]
        added = sql.rows(
            f"INSERT INTO device (id, tenant, name, created_at, down_epoch) VALUES {_marks(rows)}"  # noqa: S608 -- only marks
            " ON CONFLICT (tenant, name) DO NOTHING RETURNING id, name",
            *_flat(rows),
        )
        if not added:
            continue
        keys = [(row["id"], row["name"], secrets.token_urlsafe(32)) for row in added]
        tokens = [(uuid7(), device, hash_secret(secret), now) for device, _, secret in keys]
        sql.run(f"INSERT INTO device_token (id, device, sha256, created_at) VALUES {_marks(tokens)}", *_flat(tokens))  # noqa: S608 -- only marks
        if group is not None:
            members = [(device, group) for device, *_ in keys]
            sql.run(f"INSERT INTO device_member (device, group_name) VALUES {_marks(members)}", *_flat(members))  # noqa: S608 -- only marks
        made += [BulkDevice(device, name, f"dev_{device}_{secret}") for device, name, secret in keys]
    return made


def revoke(sql: Sql, tenant: str, wanted: Sequence[str]) -> list[str]:
    """Revoke those of these devices that there are; returns their ids."""
    marks = ", ".join("?" * len(wanted))
    found = sql.rows(f"SELECT id FROM device WHERE tenant = ? AND name IN ({marks})", tenant, *wanted)  # noqa: S608 -- only marks
    for row in found:
        devices.revoke(sql, devices.get(sql, tenant, row["id"]))
    return [row["id"] for row in found]


def _marks(rows: Sequence[tuple[Any, ...]]) -> str:
    one = f"({', '.join('?' * len(rows[0]))})"
    return ", ".join([one] * len(rows))


def _flat(rows: Sequence[tuple[Any, ...]]) -> list[Any]:
    return [value for row in rows for value in row]
