"""Logins of browsers: a random text in a cookie, kept as a hash in the store, so that any node knows it."""

from __future__ import annotations

import secrets
from typing import Final

from reachy_mind.access.authorization import Unauthenticated
from reachy_mind.fleet.control import operators
from reachy_mind.fleet.control.devices import hash_secret
from reachy_mind.fleet.control.operators import OperatorKey
from reachy_mind.fleet.control.store.store import Sql
from reachy_mind.fleet.protocol.frame import now_ms

LOGIN_MS: Final = 12 * 3600 * 1000
MAX_LOGINS: Final = 20
"""Of one operator at a time; the oldest one ends for a new one."""


def begin(sql: Sql, operator: str) -> str:
    """The text for the cookie. Logins that are over are removed."""
    now, text = now_ms(), secrets.token_urlsafe(32)
    sql.run("DELETE FROM login WHERE expires_at <= ?", now)
    kept = sql.rows("SELECT sha256 FROM login WHERE operator = ? ORDER BY created_at DESC, sha256", operator)
    for row in kept[MAX_LOGINS - 1 :]:
        sql.run("DELETE FROM login WHERE sha256 = ?", row["sha256"])
    sql.run(
        "INSERT INTO login (sha256, operator, created_at, expires_at) VALUES (?, ?, ?, ?)",
        *(hash_secret(text), operator, now, now + LOGIN_MS),
    )
    return text


def find(sql: Sql, text: str) -> OperatorKey:
    """Whose login this is. Raises Unauthenticated."""
    row = sql.row(
        f"SELECT {operators.columns('operator')} FROM login JOIN operator ON operator.id = login.operator"  # noqa: S608 -- fixed text
        " WHERE login.sha256 = ? AND login.expires_at > ?",
        *(hash_secret(text), now_ms()),
    )
    if row is None:
        raise Unauthenticated("this login is over", hint="log in again")
    found = operators.of_row(row)
    found.check_valid()
    return found


def end(sql: Sql, text: str) -> None:
    sql.run("DELETE FROM login WHERE sha256 = ?", hash_secret(text))
