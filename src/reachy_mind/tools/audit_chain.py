"""The hash chain of the audit: what a row's hash covers, how a row is added, and the digest of a call's content.

Rows are numbered without gaps, and each hash covers the row's number and the hash before it. A row `pruned` states
where the chain begins now, `erased` that the content of a call was erased, `broken` what a start found wrong, and
`repaired` which faults a repair of the database has left.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import sqlite3
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

GENESIS = "0" * 64
FORMAT = 2
_FIRST_COLUMNS = (
    "at",
    "call_id",
    "step",
    "tool",
    "tier",
    "status",
    "code",
    "caller",
    "channel",
    "by",
    "duration_ms",
    "digest",
)
HASHED_COLUMNS: dict[int, tuple[str, ...]] = {1: _FIRST_COLUMNS, 2: ("seq", "format", "principal", *_FIRST_COLUMNS)}
"""By format: what the hash of a row covers, besides the hash of the row before it."""


@dataclass(frozen=True)
class AuditEntry:
    """One step of one call, before it is added to the hash chain."""

    call_id: str
    step: str
    tool: str
    tier: int
    status: str
    caller: str
    channel: str
    code: str = ""
    by: str = ""
    duration_ms: float = 0.0
    digest: str = ""
    principal: str = ""


def note(step: str, *, call_id: str = "", code: str = "", digest: str = "") -> AuditEntry:
    """An entry about the audit itself."""
    return AuditEntry(call_id, step, "", 0, step, "audit", "", code=code, digest=digest)


def append(db: sqlite3.Connection, entry: AuditEntry) -> tuple[int, str]:
    """Add an entry, with the digest of its call's content, after the erasures since the last entry.

    Returns the number and the hash of its row.
    """
    last = db.execute("SELECT seq, hash, format FROM audit ORDER BY seq DESC LIMIT 1").fetchone()
    if last is not None and last["format"] < FORMAT:
        _adopt(db)
    if erased := db.execute("SELECT call_id FROM audit_erased ORDER BY rowid").fetchall():
        for row in erased:
            _insert(db, note("erased", call_id=row["call_id"]))
        db.execute("DELETE FROM audit_erased")
    digest_now = stored_digest(db, entry.call_id) if entry.call_id else entry.digest
    return _insert(db, replace(entry, digest=digest_now))


def digest(text: str) -> str:
    """The digest of a result in the first format."""
    return hashlib.sha256(text.encode()).hexdigest()


def new_salt() -> str:
    return secrets.token_hex(16)


def content_digest(salt: str, arguments: str, result: str) -> str:
    """The digest of a call's content. Once content and salt are erased, nobody can guess at it."""
    return hashlib.sha256(json.dumps([salt, arguments, result]).encode()).hexdigest()


def stored_digest(db: sqlite3.Connection, call_id: str) -> str:
    """The digest of the content that is stored for a call; empty when none is."""
    row = db.execute("SELECT salt, arguments, result FROM audit_content WHERE call_id = ?", (call_id,)).fetchone()
    return content_digest(*row) if row is not None else ""


def row_hash(previous: str, row: Mapping[str, Any]) -> str:
    columns = HASHED_COLUMNS[row["format"]]
    content = json.dumps([previous, *(row[name] for name in columns)], separators=(",", ":"))
    return hashlib.sha256(content.encode()).hexdigest()


def prune(db: sqlite3.Connection, days: float) -> int:
    """Delete the rows at the beginning that are older than `days`, never one after a row that stays.

    Rows are in the order of their numbers; their times may jump, because clocks are set. A time in the future says
    nothing. The limit counts from the newest row where the clock is ahead of it: a clock that is wrong at a start
    deletes nothing.
    """
    now = time.time()
    newest = db.execute("SELECT seq, at FROM audit WHERE at <= ? ORDER BY seq DESC LIMIT 1", (now,)).fetchone()
    if newest is None:
        return 0
    before = min(now, newest["at"]) - days * 86400
    first = db.execute("SELECT min(seq) FROM audit WHERE at BETWEEN ? AND ?", (before, now)).fetchone()[0]
    if not db.execute("SELECT 1 FROM audit WHERE seq < ? LIMIT 1", (first,)).fetchone():
        return 0
    previous = db.execute("SELECT previous FROM audit WHERE seq = ?", (first,)).fetchone()["previous"]
    append(db, note("pruned", code=str(first), digest=previous))
    gone = db.execute("DELETE FROM audit WHERE seq < ?", (first,)).rowcount
    db.execute("DELETE FROM audit_content WHERE call_id NOT IN (SELECT call_id FROM audit)")
    db.execute("DELETE FROM audit_erased WHERE call_id NOT IN (SELECT call_id FROM audit)")
    return gone


def _adopt(db: sqlite3.Connection) -> None:
    """State where a chain of the first format begins: an earlier version pruned it without a trace."""
    first = db.execute("SELECT seq, previous FROM audit ORDER BY seq LIMIT 1").fetchone()
    _insert(db, note("pruned", code=str(first["seq"]), digest=first["previous"]))


def _insert(db: sqlite3.Connection, entry: AuditEntry) -> tuple[int, str]:
    last = db.execute("SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1").fetchone()
    seq, previous = (last["seq"] + 1, last["hash"]) if last else (1, GENESIS)
    row = {"seq": seq, "format": FORMAT, "at": time.time()}
    row |= {name: getattr(entry, name) for name in HASHED_COLUMNS[FORMAT] if name not in row}
    row |= {"previous": previous, "hash": row_hash(previous, row)}
    names, marks = ", ".join(row), ", ".join("?" for _ in row)
    db.execute(f"INSERT INTO audit ({names}) VALUES ({marks})", tuple(row.values()))  # noqa: S608 -- our own names
    db.execute("INSERT OR REPLACE INTO audit_anchor (id, seq, hash) VALUES (1, ?, ?)", (seq, row["hash"]))
    return seq, str(row["hash"])
