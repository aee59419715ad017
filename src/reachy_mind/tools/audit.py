"""`Audit`: every call that reached the gate, what was decided about it and how it ended.

Each step is a row whose hash covers the row before it, so nothing can be changed or taken out unseen. Arguments and
results are kept apart, with only their digest in the chain: they can be erased for a person, and the chain still holds.
What was under way when the program died has no last step; `recover` says what that was, and ends it.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from dataclasses import dataclass
from typing import Any

from reachy_mind.database import Database
from reachy_mind.tools.context import Caller
from reachy_mind.tools.definition import Outcome, Tool

GENESIS = "0" * 64
LISTED = """
SELECT a.seq, a.at, a.call_id, a.tool, a.tier, a.status, a.code, a.caller, a.channel, a.duration_ms,
    (SELECT d.by FROM audit d WHERE d.call_id = a.call_id AND d.step = 'decided') AS confirmed_by,
    c.arguments, c.result
FROM audit a LEFT JOIN audit_content c USING (call_id)"""
CHAINED = (
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
class Entry:
    """One step of one call, before it has its place in the chain."""

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
    """What the toolbox writes down, and what can be asked about it. Without `words`, only their digests are kept."""

    def __init__(self, database: Database, *, words: bool = True) -> None:
        self._database, self._words = database, words

    async def asked(self, call_id: str, tool: str, tier: int, caller: Caller, arguments: str) -> None:
        """A person is being asked about it."""
        entry = Entry(call_id, "asked", tool, tier, "waiting", caller.kind, caller.channel, digest=digest(arguments))
        await self._step(entry, caller, arguments)

    async def decided(self, call_id: str, tool: str, tier: int, caller: Caller, arguments: str, by: str) -> None:
        """It was allowed, and runs now."""
        entry = Entry(
            call_id, "decided", tool, tier, "allowed", caller.kind, caller.channel, by=by, digest=digest(arguments)
        )
        await self._step(entry, caller, arguments)

    async def ended(self, tool: Tool | str, caller: Caller, outcome: Outcome, arguments: str, result: str) -> None:
        """How it ended, whether it ran or not."""
        name = tool if isinstance(tool, str) else tool.qualified
        entry = Entry(
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
                # What was erased since it began stays so.
                "INSERT INTO audit_content (call_id, person, conversation, arguments, result) SELECT ?1, ?2, ?3, ?4, ?5"
                " WHERE NOT EXISTS (SELECT 1 FROM audit WHERE call_id = ?1)"
                " OR EXISTS (SELECT 1 FROM audit_content WHERE call_id = ?1)"
                " ON CONFLICT (call_id) DO UPDATE SET result = excluded.result",
                (outcome.call_id, caller.person, caller.conversation, *self._kept(arguments, result)),
            )
            _append(db, entry)

        await self._database.write(act)

    async def _step(self, entry: Entry, caller: Caller, arguments: str) -> None:
        def act(db: sqlite3.Connection) -> None:
            db.execute(
                "INSERT INTO audit_content (call_id, person, conversation, arguments) VALUES (?, ?, ?, ?)"
                " ON CONFLICT DO NOTHING",
                (entry.call_id, caller.person, caller.conversation, *self._kept(arguments)),
            )
            _append(db, entry)

        await self._database.write(act)

    def _kept(self, *texts: str) -> tuple[str, ...]:
        return texts if self._words else ("",) * len(texts)

    async def recover(self) -> list[dict[str, Any]]:
        """The calls that were under way when the program died last time; from now on they count as interrupted."""

        def act(db: sqlite3.Connection) -> list[dict[str, Any]]:
            open_calls = db.execute(
                "SELECT a.*, c.arguments FROM audit a LEFT JOIN audit_content c USING (call_id)"
                " WHERE a.seq IN (SELECT max(seq) FROM audit GROUP BY call_id) AND a.step IN ('asked', 'decided')"
                " ORDER BY a.seq"
            ).fetchall()
            for row in open_calls:
                columns = ("call_id", "tool", "tier", "caller", "channel")
                told = {column: row[column] for column in columns}
                _append(db, Entry(step="ended", status="interrupted", code="INTERRUPTED", **told))
            return [dict(row) for row in open_calls]

        return await self._database.write(act)

    async def query(
        self, *, tool: str = "", status: str = "", since: float = 0.0, limit: int = 50, offset: int = 0
    ) -> tuple[list[dict[str, Any]], int]:
        """Ended calls, newest first, with what was asked and answered as far as it was not erased; and how many."""
        where = "a.step = 'ended' AND a.at >= ? AND (? = '' OR a.tool = ?) AND (? = '' OR a.status = ?)"
        values = (since, tool, tool, status, status)
        rows = await self._database.rows(
            f"{LISTED} WHERE {where} ORDER BY a.seq DESC LIMIT ? OFFSET ?", (*values, limit, offset)
        )
        (total,) = await self._database.rows(f"SELECT count(*) AS n FROM audit a WHERE {where}", values)  # noqa: S608
        return rows, int(total["n"])

    async def verify(self) -> int | None:
        """The first row at which the chain is broken, None when it holds."""

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
        """Forget what was said and done for a person; that something was done stays."""
        return await self._database.execute("DELETE FROM audit_content WHERE person = ?", (person,))

    async def prune(self, days: float) -> int:
        """Let go of what is older; the chain then starts at the first row that is left."""
        before = time.time() - days * 86400

        def act(db: sqlite3.Connection) -> int:
            db.execute("DELETE FROM audit_content WHERE call_id IN (SELECT call_id FROM audit WHERE at < ?)", (before,))
            newest = db.execute("SELECT max(seq) FROM audit").fetchone()[0]
            return db.execute("DELETE FROM audit WHERE at < ? AND seq < ?", (before, newest or 0)).rowcount

        return await self._database.write(act)


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _append(db: sqlite3.Connection, entry: Entry) -> None:
    last = db.execute("SELECT hash FROM audit ORDER BY seq DESC LIMIT 1").fetchone()
    row = {name: time.time() if name == "at" else getattr(entry, name) for name in CHAINED}
    previous = last["hash"] if last else GENESIS
    marks = ", ".join("?" for _ in range(len(CHAINED) + 2))
    db.execute(
        f"INSERT INTO audit ({', '.join(CHAINED)}, previous, hash) VALUES ({marks})",  # noqa: S608 -- our own names
        (*row.values(), previous, _hash(previous, row)),
    )


def _hash(previous: str, row: dict[str, Any]) -> str:
    content = json.dumps([previous, *(row[name] for name in CHAINED)], separators=(",", ":"))
    return hashlib.sha256(content.encode()).hexdigest()
