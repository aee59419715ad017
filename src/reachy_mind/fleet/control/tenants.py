"""Tenants: a home, a care home, a school. Devices, operators and everything else belong to one each."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from reachy_mind.errors import InvalidParameter
from reachy_mind.fleet.control.devices import NotInTenant, check_name
from reachy_mind.fleet.control.store.store import Sql
from reachy_mind.fleet.protocol.frame import now_ms

HOME = "home"
"""The name of the one that a new store begins with."""


@dataclass(frozen=True)
class Tenant:
    """The id is part of subjects of the bus; the name is for people."""

    id: str
    name: str
    created_at: int


def add(sql: Sql, name: str) -> Tenant:
    """Raises InvalidParameter for a name that is taken or none."""
    check_name(name, "tenant")
    row = sql.row(
        "INSERT INTO tenant (id, name, created_at) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING"
        " RETURNING id, name, created_at",
        *(secrets.token_hex(6), name, now_ms()),
    )
    if row is None:
        raise InvalidParameter(f"there is a tenant called {name} already", hint="choose another name")
    return Tenant(**row)


def get(sql: Sql, which: str) -> Tenant:
    """By id or name. Raises NotFound."""
    row = sql.row("SELECT id, name, created_at FROM tenant WHERE id = ? OR name = ?", which, which)
    if row is None:
        raise NotInTenant(f"no tenant {which[:60]!r}", hint="GET /fleet/v1/tenants lists them")
    return Tenant(**row)


def home(sql: Sql) -> Tenant:
    """The first tenant of this store, made when there is none."""
    row = sql.row("SELECT id, name, created_at FROM tenant ORDER BY created_at, id LIMIT 1")
    if row is not None:
        return Tenant(**row)
    sql.run(
        "INSERT INTO tenant (id, name, created_at) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING",
        *(secrets.token_hex(6), HOME, now_ms()),
    )
    return get(sql, HOME)  # another node may have made it at the same time


def listed(sql: Sql, *, after: str = "", limit: int = 100) -> list[Tenant]:
    """A page by name, those after the name `after`."""
    rows = sql.rows("SELECT id, name, created_at FROM tenant WHERE name > ? ORDER BY name LIMIT ?", after, limit)
    return [Tenant(**row) for row in rows]
