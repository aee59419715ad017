"""`Audit`: the audit log. Records every tool call that reached the gate, the decision about it and how it ended.

Each step is a row whose hash covers the previous row, so that no change or removal goes unnoticed. Arguments and
results are in a table of their own, with only their digest in the chain: they can be erased for a person, and the chain
still verifies. A call that a crash interrupted has no last step; `recover` lists those calls and ends them.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from dataclasses import dataclass
from typing import Any

from reachy_mind.storage.database import Database
from reachy_mind.tools.context import Caller
from reachy_mind.tools.definition import Outcome, Tool

GENESIS = "0" * 64
QUERY = """
SELECT a.seq, a.at, a.call_id, a.tool, a.tier, a.status, a.code, a.caller, a.channel, a.duration_ms,
    (SELECT d.by FROM audit d WHERE d.call_id = a.call_id AND d.step = 'decided') AS confirmed_by,
    c.arguments, c.result
FROM audit a LEFT JOIN audit_content c USING (call_id)"""
HASHED_COLUMNS = (
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


class Audit:
    """The audit log in the database. Without `keep_content` it stores only digests of arguments and results."""

    def __init__(self, database: Database, *, keep_content: bool = True) -> None:
        self._database, self._keep_content = database, keep_content

    async def record_question(self, call_id: str, tool: str, tier: int, caller: Caller, arguments: str) -> None:
        """Record that a person is asked for confirmation."""
        entry = AuditEntry(
            call_id, "asked", tool, tier, "waiting", caller.kind, caller.channel, digest=digest(arguments)
        )
        await self._record_step(entry, caller, arguments)

    async def record_decision(
        self, call_id: str, tool: str, tier: int, caller: Caller, arguments: str, by: str
    ) -> None:
        """Record that the call was allowed, and by whom; it runs next."""
        entry = AuditEntry(
            call_id, "decided", tool, tier, "allowed", caller.kind, caller.channel, by=by, digest=digest(arguments)
        )
        await self._record_step(entry, caller, arguments)

    async def record_end(self, tool: Tool | str, caller: Caller, outcome: Outcome, arguments: str, result: str) -> None:
        """Record how the call ended, whether it ran or not."""
        name = tool if isinstance(tool, str) else tool.qualified
        entry = AuditEntry(
            outcome.call_id,
            "ended",
            name,
            outcome.tier,
            outcome.status,
            caller.kind,
            caller.channel,
            code=(outcome.error or {}).get("code", ""),
            duration_ms=round(outcome.duration_ms, 3),
            digest=digest(result),
        )

        def act(db: sqlite3.Connection) -> None:
            db.execute(
                # Content that was erased since the call began stays erased.
                "INSERT INTO audit_content (call_id, person, conversation, arguments, result) SELECT ?1, ?2, ?3, ?4, ?5"
                " WHERE NOT EXISTS (SELECT 1 FROM audit WHERE call_id = ?1)"
                " OR EXISTS (SELECT 1 FROM audit_content WHERE call_id = ?1)"
                " ON CONFLICT (call_id) DO UPDATE SET result = excluded.result",
                (outcome.call_id, caller.person, caller.conversation, *self._content(arguments, result)),
            )
            _append(db, entry)

        await self._database.write(act)

    async def _record_step(self, entry: AuditEntry, caller: Caller, arguments: str) -> None:
        def act(db: sqlite3.Connection) -> None:
            db.execute(
                "INSERT INTO audit_content (call_id, person, conversation, arguments) VALUES (?, ?, ?, ?)"
                " ON CONFLICT DO NOTHING",
                (entry.call_id, caller.person, caller.conversation, *self._content(arguments)),
            )
            _append(db, entry)

        await self._database.write(act)

    def _content(self, *texts: str) -> tuple[str, ...]:
        return texts if self._keep_content else ("",) * len(texts)

    async def recover(self) -> list[dict[str, Any]]:
        """End the calls that a crash interrupted, and return them."""

        def act(db: sqlite3.Connection) -> list[dict[str, Any]]:
            open_calls = db.execute(
                "SELECT a.*, c.arguments FROM audit a LEFT JOIN audit_content c USING (call_id)"
                " WHERE a.seq IN (SELECT max(seq) FROM audit GROUP BY call_id) AND a.step IN ('asked', 'decided')"
                " ORDER BY a.seq"
            ).fetchall()
            for row in open_calls:
                columns = ("call_id", "tool", "tier", "caller", "channel")
                known = {column: row[column] for column in columns}
                _append(db, AuditEntry(step="ended", status="interrupted", code="INTERRUPTED", **known))
            return [dict(row) for row in open_calls]

        return await self._database.write(act)

    async def query(
        self, *, tool: str = "", status: str = "", since: float = 0.0, limit: int = 50, offset: int = 0
    ) -> tuple[list[dict[str, Any]], int]:
        """A page of ended calls, newest first, with content that was not erased; and the total number."""
        where = "a.step = 'ended' AND a.at >= ? AND (? = '' OR a.tool = ?) AND (? = '' OR a.status = ?)"
        values = (since, tool, tool, status, status)
        rows = await self._database.rows(
            f"{QUERY} WHERE {where} ORDER BY a.seq DESC LIMIT ? OFFSET ?", (*values, limit, offset)
        )
        (total,) = await self._database.rows(f"SELECT count(*) AS n FROM audit a WHERE {where}", values)  # noqa: S608
        return rows, int(total["n"])

    async def verify(self) -> int | None:
        """The first row at which the hash chain is broken; None when it is intact."""

        def act(db: sqlite3.Connection) -> int | None:
            previous = None
            for row in db.execute("SELECT * FROM audit ORDER BY seq"):
                expected = row["previous"] if previous is None else previous
                if row["previous"] != expected or row["hash"] != _hash(row["previous"], dict(row)):
                    return int(row["seq"])
                previous = row["hash"]
            return None

        return await self._database.read(act)

    async def erase(self, person: str) -> int:
        """Erase arguments and results of a person's calls. The rows of the chain stay."""
        return await self._database.execute("DELETE FROM audit_content WHERE person = ?", (person,))

    async def prune(self, days: float) -> int:
        """Delete rows older than `days`. The chain then starts at the first remaining row."""
        before = time.time() - days * 86400

        def act(db: sqlite3.Connection) -> int:
            db.execute("DELETE FROM audit_content WHERE call_id IN (SELECT call_id FROM audit WHERE at < ?)", (before,))
            newest = db.execute("SELECT max(seq) FROM audit").fetchone()[0]
            return db.execute("DELETE FROM audit WHERE at < ? AND seq < ?", (before, newest or 0)).rowcount

        return await self._database.write(act)


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _append(db: sqlite3.Connection, entry: AuditEntry) -> None:
    last = db.execute("SELECT hash FROM audit ORDER BY seq DESC LIMIT 1").fetchone()
    row = {name: time.time() if name == "at" else getattr(entry, name) for name in HASHED_COLUMNS}
    previous = last["hash"] if last else GENESIS
    marks = ", ".join("?" for _ in range(len(HASHED_COLUMNS) + 2))
    db.execute(
        f"INSERT INTO audit ({', '.join(HASHED_COLUMNS)}, previous, hash) VALUES ({marks})",  # noqa: S608 -- our own names
        (*row.values(), previous, _hash(previous, row)),
    )


def _hash(previous: str, row: dict[str, Any]) -> str:
    content = json.dumps([previous, *(row[name] for name in HASHED_COLUMNS)], separators=(",", ":"))
    return hashlib.sha256(content.encode()).hexdigest()
