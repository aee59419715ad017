"""`Audit`: the audit log. Records every tool call that reached the gate, the decision about it and how it ended.

Each step is a row of a hash chain (`audit_chain`), so that no change or removal goes unnoticed. Arguments and results
are in a table of their own, with only a digest in the chain: they can be erased for a person, and the chain still
verifies. A call that a crash interrupted has no last step; `recover` lists those calls and ends them.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from reachy_mind import log
from reachy_mind.storage.database import Database, DatabaseError
from reachy_mind.tools import audit_chain, audit_verification
from reachy_mind.tools.audit_anchor import AnchoredRow, AuditAnchor, anchor_file, read_anchor, write_anchor
from reachy_mind.tools.audit_chain import AuditEntry
from reachy_mind.tools.audit_verification import AuditVerification
from reachy_mind.tools.context import Caller
from reachy_mind.tools.definition import Outcome, Tier, Tool

QUERY = """
SELECT a.seq, a.at, a.call_id, a.tool, a.tier, a.status, a.code, a.caller, a.channel, a.principal, a.duration_ms,
    (SELECT d.by FROM audit d WHERE d.call_id = a.call_id AND d.step = 'decided') AS confirmed_by,
    c.arguments, c.result
FROM audit a LEFT JOIN audit_content c USING (call_id)"""
ROWS_AT_START = 500
"""The newest rows are verified before the first call; all others by `audit verify` and `doctor`."""
EVERY_FAULT = 1_000_000
DONE_BEFORE = "This call was carried out before; its result was not kept."
CUT_SHORT = {
    "code": "INTERRUPTED",
    "message": "the mind ended while it carried out this call; it may have been done, in part or whole",
    "hint": "look whether it was done; a new id for a new attempt",
}

_log = log.get(__name__)


class Audit:
    """The audit log in the database. Without `keep_content` it stores no arguments, no results and no digests of them.

    `aclose` writes the anchor; use it before the database is closed.
    """

    def __init__(self, database: Database, *, keep_content: bool = True) -> None:
        self._database, self._keep_content = database, keep_content
        self._anchor = AuditAnchor(database.file)

    async def aclose(self) -> None:
        await self._anchor.aclose()

    async def record_question(self, call_id: str, tool: str, tier: int, caller: Caller, arguments: str) -> None:
        """Record that a person is asked for confirmation."""
        entry = _entry(call_id, "asked", tool, tier, "waiting", caller)
        await self._record(entry, caller, arguments)

    async def record_decision(
        self, call_id: str, tool: str, tier: int, caller: Caller, arguments: str, by: str
    ) -> None:
        """Record that the call was allowed, and by whom; it runs next.

        An autonomous call does not wait for the sync to disk: its end has one, and covers this row.
        """
        entry = _entry(call_id, "decided", tool, tier, "allowed", caller, by=by)
        await self._record(entry, caller, arguments, durable=tier > Tier.AUTONOMOUS)

    async def record_end(self, tool: Tool | str, caller: Caller, outcome: Outcome, arguments: str, result: str) -> None:
        """Record how the call ended, whether it ran or not."""
        name = tool if isinstance(tool, str) else tool.qualified
        code, took = (outcome.error or {}).get("code", ""), round(outcome.duration_ms, 3)
        entry = _entry(
            outcome.call_id, "ended", name, outcome.tier, outcome.status, caller, code=code, duration_ms=took
        )
        await self._record(entry, caller, arguments, result)

    async def _record(
        self, entry: AuditEntry, caller: Caller, arguments: str, result: str = "", *, durable: bool = True
    ) -> None:
        def act(db: sqlite3.Connection) -> tuple[int, str]:
            if self._keep_content:
                db.execute(
                    # Content that was erased since the call began stays erased.
                    "INSERT INTO audit_content (call_id, person, conversation, arguments, result, salt)"
                    " SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE NOT EXISTS (SELECT 1 FROM audit WHERE call_id = ?1)"
                    " OR EXISTS (SELECT 1 FROM audit_content WHERE call_id = ?1)"
                    " ON CONFLICT (call_id) DO UPDATE SET result = excluded.result",
                    (entry.call_id, caller.person, caller.conversation, arguments, result, audit_chain.new_salt()),
                )
            return audit_chain.append(db, entry)

        row = AnchoredRow(*await self._database.write(act, durable=durable))
        if durable:
            self._anchor.follow(row)

    async def recover(self) -> list[dict[str, Any]]:
        """End the calls that a crash interrupted, and return them."""

        def act(db: sqlite3.Connection) -> list[dict[str, Any]]:
            open_calls = db.execute(
                "SELECT a.*, c.arguments FROM audit a LEFT JOIN audit_content c USING (call_id)"
                " WHERE a.seq IN (SELECT max(seq) FROM audit WHERE step IN ('asked', 'decided', 'ended')"
                " GROUP BY call_id) AND a.step IN ('asked', 'decided') ORDER BY a.seq"
            ).fetchall()
            for row in open_calls:
                columns = ("call_id", "tool", "tier", "caller", "channel", "principal")
                known = {column: row[column] for column in columns}
                entry = AuditEntry(step="ended", status="interrupted", code="INTERRUPTED", **known)
                audit_chain.append(db, entry)
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

    async def outcome(self, call_id: str) -> tuple[str, Outcome] | None:
        """The tool of an ended call and how it ended; None when there was none. A result that was not kept, or was
        erased, is left out."""
        rows = await self._database.rows(
            "SELECT a.tool, a.tier, a.status, a.code, a.duration_ms, c.result FROM audit a"
            " LEFT JOIN audit_content c USING (call_id)"
            " WHERE a.call_id = ? AND a.step = 'ended' ORDER BY a.seq DESC LIMIT 1",
            (call_id,),
        )
        if not rows:
            return None
        (row,) = rows
        status, result = row["status"], json.loads(row["result"] or "null")
        if status == "interrupted":
            outcome = Outcome("error", error=CUT_SHORT)
        elif status in ("ok", "started"):
            outcome = Outcome(status, data=result if result is not None else {"message": DONE_BEFORE})
        else:
            failed = {
                "code": row["code"],
                "message": "this call has failed before",
                "hint": "a new id for a new attempt",
            }
            outcome = Outcome(status, error=result if isinstance(result, dict) and "code" in result else failed)
        found = replace(outcome, tier=row["tier"], duration_ms=row["duration_ms"], call_id=call_id)
        return row["tool"], found

    async def verify(self) -> int | None:
        """The first row at which something is wrong; None when all of the audit is proven."""
        faults = (await self.verification()).faults
        return faults[0].seq if faults else None

    async def verification(self, *, newest: int | None = None) -> AuditVerification:
        """See `audit_verification.verify`. Raises DatabaseError."""
        anchor = read_anchor(self._anchor.file)
        return await self._database.read(lambda db: audit_verification.verify(db, anchor, newest=newest))

    async def verify_at_start(self) -> AuditVerification:
        """Verify both ends and the newest rows, and record what is wrong: the next rows would hide a cut end."""
        found = await self.verification(newest=ROWS_AT_START)
        for fault in found.faults:
            _log.error("the audit is broken", reason=fault.message, hint="reachy-mind audit verify")

        new = [fault for fault in found.faults if not fault.message.startswith(audit_verification.FOUND_EARLIER)]

        def act(db: sqlite3.Connection) -> None:
            for fault in new:
                same = db.execute("SELECT 1 FROM audit WHERE step = 'broken' AND code = ?", (fault.message,))
                if not same.fetchone():
                    audit_chain.append(db, audit_chain.note("broken", code=fault.message))

        if new:
            await self._database.write(act)
        return found

    async def erase(self, person: str) -> int:
        """Erase arguments and results of a person's calls. The rows of the chain stay."""
        return await self._database.execute("DELETE FROM audit_content WHERE person = ?", (person,))

    async def prune(self, days: float) -> int:
        """Delete rows older than `days` at the beginning of the chain, whose new beginning is recorded in it."""
        return await self._database.write(lambda db: audit_chain.prune(db, days))


class AuditCheck:
    """Verifies all of the audit once, in the background of a mind that has started; use as `async with`."""

    def __init__(self, database: Path) -> None:
        self._database, self._ended = database, threading.Event()
        self._work: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._work = asyncio.create_task(self._verify(), name="audit check")
        return self

    async def __aexit__(self, *_: object) -> None:
        self._ended.set()
        await self.done()

    async def done(self) -> None:
        """Wait for the result."""
        if self._work is not None:
            await self._work

    async def _verify(self) -> None:
        try:
            found = await asyncio.to_thread(audit_verification.verify_file, self._database, ended=self._ended)
        except DatabaseError as error:
            _log.warning("the audit could not be verified", reason=error.message, hint=error.hint)
            return
        for fault in found.faults:
            _log.error("the audit is broken", reason=fault.message, hint="reachy-mind audit verify")


async def state_repair(file: Path) -> list[str]:
    """After a repair of the database: record in the chain what of it is lost. Returns that in words."""
    async with Database(file) as database:
        seen = read_anchor(anchor_file(file))
        found = await database.read(lambda db: audit_verification.verify(db, seen, most=EVERY_FAULT))
        if found.ok:
            return []
        seqs = json.dumps(sorted({fault.seq for fault in found.faults}))
        entry = audit_chain.note("repaired", code=seqs)
        row = AnchoredRow(*await database.write(lambda db: audit_chain.append(db, entry)))
        if (anchor := anchor_file(file)) is not None:
            await asyncio.to_thread(write_anchor, anchor, row)
    return [f"the audit: {fault.message}" for fault in found.faults[: audit_verification.MOST_FAULTS]]


def _entry(call_id: str, step: str, tool: str, tier: int, status: str, caller: Caller, **more: Any) -> AuditEntry:
    return AuditEntry(
        call_id, step, tool, tier, status, caller.kind, caller.channel, principal=caller.principal, **more
    )
