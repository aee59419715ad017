"""Enrolment: an operator makes a one-time code, a device exchanges it for its token.

A code has 8 digits and 10 minutes. What protects it is that few guesses are allowed: from one address and in total, on
all nodes together. Past a limit every code is refused, the right one too.
"""

from __future__ import annotations

import hashlib
import ipaddress
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from reachy_mind.access.authorization import Unauthenticated
from reachy_mind.errors import InvalidParameter, TooMany
from reachy_mind.fleet.control import audit, devices
from reachy_mind.fleet.control.devices import Device, NotInTenant
from reachy_mind.fleet.control.operators import Operator
from reachy_mind.fleet.control.store.store import Row, Sql
from reachy_mind.fleet.protocol.frame import now_ms
from reachy_mind.fleet.protocol.message_ids import uuid7

CODE_MS: Final = 600_000
MAX_OPEN: Final = 1000
"""Codes of a tenant that wait at a time."""
ADDRESS_GUESSES, ADDRESS_WINDOW_MS = 5, 600_000
TOTAL_GUESSES, TOTAL_WINDOW_MS = 30, 60_000


@dataclass(frozen=True)
class Enrolment:
    """A code that was made, without the code."""

    id: str
    name: str
    groups: tuple[str, ...]
    created_by: str
    created_at: int
    expires_at: int
    used_at: int | None
    device: str | None


@dataclass(frozen=True)
class Enrolled:
    """What a device gets for its code."""

    device: Device
    token: str


def create(sql: Sql, by: Operator, name: str, groups: Sequence[str]) -> tuple[Enrolment, str]:
    """A code for a device of this name. Raises InvalidParameter."""
    devices.check_name(name)
    for group in groups:
        devices.check_name(group, "group")
    if sql.row("SELECT id FROM device WHERE tenant = ? AND name = ?", by.tenant, name):
        raise InvalidParameter(f"there is a device called {name} already", hint="choose another name, or revoke it")
    now = now_ms()
    waiting = sql.row(
        "SELECT count(*) AS n FROM enrolment WHERE tenant = ? AND used_at IS NULL AND expires_at > ?", by.tenant, now
    )
    if waiting is not None and waiting["n"] >= MAX_OPEN:
        raise InvalidParameter(f"{MAX_OPEN} codes wait for their devices", hint="wait until some have expired")
    code = _unused_code(sql, now)
    made = Enrolment(uuid7(), name, tuple(groups), by.name, now, now + CODE_MS, None, None)
    sql.run(
        "INSERT INTO enrolment (id, tenant, code_sha256, device_name, groups, created_by, created_at, expires_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        *(made.id, by.tenant, _hash(code), name, json.dumps(list(groups)), by.name, made.created_at, made.expires_at),
    )
    return made, code


def redeem(sql: Sql, code: str, address: str, agent: str) -> Enrolled | Unauthenticated | TooMany:
    """A new device for a code, which is used up.

    A refusal is returned, not raised: that a guess was wrong has to be committed. Raises InvalidParameter when the name
    was taken meanwhile; the code stays valid then.
    """
    now, where = now_ms(), _network(address)
    refusal = _too_many_guesses(sql, where, now)
    if refusal is not None:
        return refusal
    row = sql.row(
        "SELECT * FROM enrolment WHERE code_sha256 = ? AND used_at IS NULL AND expires_at > ?", _hash(code), now
    )
    # The condition is checked again by the update: of two nodes that found the row, one changes it.
    if row is None or not sql.run("UPDATE enrolment SET used_at = ? WHERE id = ? AND used_at IS NULL", now, row["id"]):
        sql.run("INSERT INTO enrolment_attempt (address, at) VALUES (?, ?)", where, now)
        sql.run("DELETE FROM enrolment_attempt WHERE at <= ?", now - ADDRESS_WINDOW_MS)
        return Unauthenticated("this code is wrong, used or expired", hint="a new one: reachy-mind fleet enroll NAME")
    device = devices.add(sql, row["tenant"], row["device_name"], json.loads(row["groups"]))
    sql.run("UPDATE device SET agent = ? WHERE id = ?", agent, device.id)
    sql.run("UPDATE enrolment SET device = ? WHERE id = ?", device.id, row["id"])
    audit.record(sql, device, "device.enrolled", f"code of {row['created_by']}", address=address)
    return Enrolled(device, devices.new_token(sql, device.id))


def listed(sql: Sql, tenant: str, *, before: str = "", limit: int = 100) -> list[Enrolment]:
    """A page of a tenant's codes, the latest first, those before the id `before`."""
    rows = sql.rows(
        "SELECT id, device_name, groups, created_by, created_at, expires_at, used_at, device FROM enrolment"
        " WHERE tenant = ? AND id < ? ORDER BY id DESC LIMIT ?",
        *(tenant, before or "g", limit),  # ids are hexadecimal: "g" is after all of them
    )
    return [_enrolment(row) for row in rows]


def cancel(sql: Sql, tenant: str, enrolment: str) -> Enrolment:
    """End a code before it was used. Raises NotFound."""
    changed = sql.run(
        "UPDATE enrolment SET expires_at = ? WHERE tenant = ? AND id = ? AND used_at IS NULL AND expires_at > ?",
        *(now_ms(), tenant, enrolment, now_ms()),
    )
    if not changed:
        raise NotInTenant("no code with this id waits", hint="it was used, or has expired")
    row = sql.row(
        "SELECT id, device_name, groups, created_by, created_at, expires_at, used_at, device FROM enrolment"
        " WHERE id = ?",
        enrolment,
    )
    assert row is not None
    return _enrolment(row)


def _too_many_guesses(sql: Sql, where: str, now: int) -> TooMany | None:
    of_address = sql.row(
        "SELECT count(*) AS n FROM enrolment_attempt WHERE address = ? AND at > ?", where, now - ADDRESS_WINDOW_MS
    )
    if of_address is not None and of_address["n"] >= ADDRESS_GUESSES:
        return TooMany("too many wrong codes from this address", hint="wait ten minutes")
    in_total = sql.row("SELECT count(*) AS n FROM enrolment_attempt WHERE at > ?", now - TOTAL_WINDOW_MS)
    if in_total is not None and in_total["n"] >= TOTAL_GUESSES:
        return TooMany("too many wrong codes", hint="wait a minute")
    return None


def _unused_code(sql: Sql, now: int) -> str:
    while True:
        code = f"{secrets.randbelow(10**8):08}"
        used = "SELECT id FROM enrolment WHERE code_sha256 = ? AND used_at IS NULL AND expires_at > ?"
        if not sql.row(used, _hash(code), now):
            return code


def _network(address: str) -> str:
    """The address, or the network of an IPv6 address: one subscriber has all of a /64."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    return str(found.ipv4_mapped or ipaddress.ip_network((int(found), 64), strict=False))


def _hash(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()


def _enrolment(row: Row) -> Enrolment:
    about: dict[str, Any] = dict(row)
    name, groups = about.pop("device_name"), tuple(json.loads(about.pop("groups")))
    return Enrolment(**about, name=name, groups=groups)
