"""Operators: people and programs that steer a tenant's devices, each with a key and a role.

A key is `op_ID_SECRET`. The secret has 256 random bits, so a plain SHA-256 of it can't be reversed. A viewer looks, an
operator also enrols and commands devices, an admin also makes operators, `platform` also makes tenants.
"""

from __future__ import annotations

import hmac
import re
import secrets
from dataclasses import dataclass
from typing import Final, Literal

from reachy_mind.access.authorization import NotAllowed, Unauthenticated
from reachy_mind.errors import InvalidParameter
from reachy_mind.fleet.control.devices import NotInTenant, check_name, hash_secret
from reachy_mind.fleet.control.store.store import Row, Sql
from reachy_mind.fleet.protocol.frame import now_ms

Role = Literal["viewer", "operator", "admin", "platform"]
RANK: Final[dict[Role, int]] = {"viewer": 0, "operator": 1, "admin": 2, "platform": 3}
DAY_MS: Final = 24 * 3600 * 1000
LAST_USED_EVERY_MS: Final = 60_000
"""The last use of a key is not written more often."""
LOCAL: Final = "local "
"""How the names of the keys begin that belong to a machine's own commands: nobody's name."""
_KEY = re.compile(r"op_(?P<id>[0-9a-f]{12})_(?P<secret>[A-Za-z0-9_-]{43})")
_HINT = "reachy-mind fleet operators new NAME makes a key"
_COLUMNS = "id, tenant, name, role, created_at, expires_at, revoked_at, last_used_at"


@dataclass(frozen=True)
class Operator:
    """Who acts. Every query is limited to `tenant`."""

    id: str
    tenant: str
    name: str
    role: Role

    def may(self, role: Role) -> bool:
        """Whether this one has the role, or a higher one."""
        return RANK[self.role] >= RANK[role]


@dataclass(frozen=True)
class OperatorKey:
    """What is known of an operator and the key; never the secret."""

    id: str
    tenant: str
    name: str
    role: Role
    created_at: int
    expires_at: int | None
    revoked_at: int | None
    last_used_at: int | None

    @property
    def operator(self) -> Operator:
        return Operator(self.id, self.tenant, self.name, self.role)

    @property
    def use_is_stale(self) -> bool:
        """Whether its use is to be written."""
        return self.last_used_at is None or now_ms() - self.last_used_at > LAST_USED_EVERY_MS

    def check_valid(self) -> None:
        """Raises Unauthenticated when it was revoked or has expired."""
        if self.revoked_at is not None:
            raise Unauthenticated("this key was revoked", hint=_HINT)
        if self.expires_at is not None and self.expires_at <= now_ms():
            raise Unauthenticated("this key has expired", hint=_HINT)


def add(sql: Sql, tenant: str, name: str, role: Role, *, days: float | None = None) -> tuple[OperatorKey, str]:
    """A new operator and the key, which is shown this once. Raises InvalidParameter for a name that is taken."""
    check_name(name, "operator")
    if sql.row("SELECT id FROM operator WHERE tenant = ? AND name = ?", tenant, name):
        raise InvalidParameter(f"there is an operator called {name} already", hint="choose another name")
    operator_id, secret, now = secrets.token_hex(6), secrets.token_urlsafe(32), now_ms()
    sql.run(
        "INSERT INTO operator (id, tenant, name, role, sha256, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
        *(operator_id, tenant, name, role, hash_secret(secret), now),
        now + int(days * DAY_MS) if days is not None else None,
    )
    return get(sql, tenant, operator_id), f"op_{operator_id}_{secret}"


def get(sql: Sql, tenant: str, which: str) -> OperatorKey:
    """By id or name; an id counts before a name that looks like one. Raises NotFound."""
    row = sql.row(
        f"SELECT {_COLUMNS} FROM operator WHERE tenant = ? AND (id = ? OR name = ?)"  # noqa: S608 -- fixed text
        " ORDER BY CASE WHEN id = ? THEN 0 ELSE 1 END",
        *(tenant, which, which, which),
    )
    if row is None:
        raise NotInTenant(f"no operator {which[:60]!r}", hint="reachy-mind fleet operators list")
    return OperatorKey(**row)


def listed(sql: Sql, tenant: str, *, after: str = "", limit: int = 100) -> list[OperatorKey]:
    """A page of a tenant's operators by name, those after the name `after`."""
    rows = sql.rows(
        f"SELECT {_COLUMNS} FROM operator WHERE tenant = ? AND name > ? ORDER BY name LIMIT ?",  # noqa: S608 -- fixed text
        *(tenant, after, limit),
    )
    return [OperatorKey(**row) for row in rows]


def revoke(sql: Sql, by: Operator, which: str) -> OperatorKey:
    """Refuse a key for ever, and end its logins. The name is free again. Raises NotFound, NotAllowed."""
    found = get(sql, by.tenant, which)
    if found.id == by.id:
        raise NotAllowed("this is your own key", hint="another admin can revoke it")
    if not by.may(found.role):
        raise NotAllowed(f"only {found.role} may revoke a key of this role", hint="ask who runs the control plane")
    _revoke(sql, found)
    return get(sql, by.tenant, found.id)


def authenticate(sql: Sql, text: str) -> OperatorKey:
    """The operator with this key. Raises Unauthenticated."""
    parts = _KEY.fullmatch(text)
    if parts is None:
        raise Unauthenticated("this is no key of an operator", hint=_HINT)
    row = sql.row(f"SELECT {_COLUMNS}, sha256 FROM operator WHERE id = ?", parts["id"])  # noqa: S608 -- fixed text
    kept = str(row.pop("sha256")) if row is not None else ""
    if row is None or not hmac.compare_digest(kept, hash_secret(parts["secret"])):
        raise Unauthenticated("unknown key", hint=_HINT)
    found = OperatorKey(**row)
    found.check_valid()
    return found


def note_used(sql: Sql, operator: str) -> None:
    sql.run("UPDATE operator SET last_used_at = ? WHERE id = ?", now_ms(), operator)


def ensure_local(sql: Sql, tenant: str, name: str, key: str) -> str:
    """The key of this machine's own commands: `key` when it is valid here, else a new one in its place."""
    try:
        authenticate(sql, key)
    except Unauthenticated:
        row = sql.row(f"SELECT {_COLUMNS} FROM operator WHERE tenant = ? AND name = ?", tenant, name)  # noqa: S608 -- fixed text
        if row is not None:
            _revoke(sql, OperatorKey(**row))
        return add(sql, tenant, name, "platform")[1]
    return key


def of_row(row: Row) -> OperatorKey:
    """From a row with the columns of `columns`."""
    return OperatorKey(**row)


def columns(table: str) -> str:
    """The columns that `of_row` needs."""
    return ", ".join(f"{table}.{column}" for column in _COLUMNS.split(", "))


def _revoke(sql: Sql, found: OperatorKey) -> None:
    if found.revoked_at is not None:
        return
    freed = f"{found.name[:50]} ({found.id})"
    sql.run("UPDATE operator SET revoked_at = ?, name = ? WHERE id = ?", now_ms(), freed, found.id)
    sql.run("DELETE FROM login WHERE operator = ?", found.id)
