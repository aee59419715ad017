"""`AuditVerification`: proof of the audit. Finds changed, missing and added rows, cut ends, and changed content.

It compares the chain with itself, with the last row that the database and the anchor file know, and with the content
of the calls. Content that a person had erased is told apart from content that somebody removed: its erasure is a row of
the chain. `verify_file` needs no running mind.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import sqlite3
import threading
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from reachy_mind.config.checks import Finding
from reachy_mind.config.configuration import Configuration
from reachy_mind.storage.database import DatabaseError
from reachy_mind.storage.snapshot import open_for_reading
from reachy_mind.tools.audit_anchor import NAME, UNREADABLE, AnchoredRow, anchor_file, read_anchor
from reachy_mind.tools.audit_chain import GENESIS, HASHED_COLUMNS, content_digest, digest, row_hash

MOST_FAULTS = 20
FOUND_EARLIER = "found earlier:"
SLICE_ROWS, SLICE_PAUSE_S = 200, 0.01
_LATEST_STEPS = """
SELECT a.seq, a.format, a.step, a.digest, c.call_id IS NOT NULL AS kept, c.salt, c.arguments, c.result,
    EXISTS (SELECT 1 FROM audit_erased p WHERE p.call_id = a.call_id) AS waiting,
    (SELECT max(e.seq) FROM audit e WHERE e.call_id = a.call_id AND e.step = 'erased') AS erased
FROM audit a LEFT JOIN audit_content c USING (call_id)
WHERE a.seq BETWEEN ? AND ? AND a.step IN ('asked', 'decided', 'ended') AND NOT EXISTS
    (SELECT 1 FROM audit n WHERE n.call_id = a.call_id AND n.seq > a.seq AND n.step IN ('asked', 'decided', 'ended'))
ORDER BY a.seq"""
_STRAYS = "SELECT count(*) FROM audit_content WHERE call_id NOT IN (SELECT call_id FROM audit)"


@dataclass(frozen=True)
class AuditFault:
    """Something that is wrong at the row `seq`; 0 when it is at none."""

    seq: int
    message: str


@dataclass(frozen=True)
class AuditVerification:
    """The result. `repaired`: faults that a repair of the database has stated, which do not count."""

    rows: int
    first: int
    last: int
    erased: int
    anchored: int
    """The row that the anchor file proves; 0 without one."""
    faults: tuple[AuditFault, ...]
    repaired: tuple[int, ...] = ()

    @property
    def ok(self) -> bool:
        return not self.faults

    @property
    def line(self) -> str:
        """The result in words."""
        if not self.ok:
            more = f" (and {len(self.faults) - 1} more)" if len(self.faults) > 1 else ""
            return f"{self.faults[0].message}{more}"
        if not self.rows:
            return "no entries yet"
        gone = f", the content of {self.erased} erased" if self.erased else ""
        healed = f"; a repair lost entries near {', '.join(map(str, self.repaired))}" if self.repaired else ""
        proof = f"proven up to {self.anchored} by {NAME}" if self.anchored else f"no {NAME} yet"
        return f"{self.rows} entries ({self.first} to {self.last}) intact{gone}; {proof}{healed}"

    def as_dict(self) -> dict[str, Any]:
        return {"ok": self.ok, **asdict(self), "message": self.line}


def verify_file(database: Path, *, ended: threading.Event | None = None) -> AuditVerification:
    """Verify all of the audit in a database file. `ended`: work slowly beside a mind, until that event.

    Raises DatabaseError.
    """
    anchor = read_anchor(anchor_file(database))
    with open_for_reading(database) as db:
        return verify(db, anchor, ended=ended)


def verify(
    db: sqlite3.Connection,
    anchor: AnchoredRow | None,
    *,
    newest: int | None = None,
    most: int = MOST_FAULTS,
    ended: threading.Event | None = None,
) -> AuditVerification:
    """Verify the chain, both its ends and the content; `newest`: of that many rows only; `most` faults are listed."""
    db.execute("BEGIN")  # both ends at the same moment; the rest may go on growing
    try:
        ends = db.execute("SELECT count(*) AS rows, min(seq) AS first, max(seq) AS last FROM audit").fetchone()
        first, last = int(ends["first"] or 0), int(ends["last"] or 0)
        found = list(_ends(db, first, last, anchor))
        stated = _stated_by_repairs(db)
        if count := db.execute(_STRAYS).fetchone()[0]:
            found.append(AuditFault(0, f"calls that have content, but no entry: {count}"))
    finally:
        db.execute("COMMIT")
    since = max(first, last - newest + 1) if newest is not None else first
    found += itertools.islice(_rows(db, since, ended), most)
    erased = db.execute("SELECT count(*) FROM audit WHERE step = 'erased'").fetchone()[0]
    return AuditVerification(
        rows=int(ends["rows"]),
        first=first,
        last=last,
        erased=int(erased),
        anchored=anchor.seq if anchor is not None else 0,
        faults=tuple(
            sorted((fault for fault in found if fault.seq not in stated), key=lambda fault: fault.seq or last + 2)
        ),
        repaired=tuple(sorted(stated)),
    )


def _stated_by_repairs(db: sqlite3.Connection) -> set[int]:
    rows = db.execute("SELECT code FROM audit WHERE step = 'repaired'").fetchall()
    return {int(seq) for row in rows for seq in json.loads(row["code"])}


def _ends(db: sqlite3.Connection, first: int, last: int, anchor: AnchoredRow | None) -> Iterator[AuditFault]:
    """Whether the beginning and the end are where they have to be."""
    pruned = db.execute("SELECT code, digest FROM audit WHERE step = 'pruned' ORDER BY seq DESC LIMIT 1").fetchone()
    expected = (int(pruned["code"]), str(pruned["digest"])) if pruned is not None else (1, GENESIS)
    beginning = db.execute("SELECT seq, previous, format FROM audit ORDER BY seq LIMIT 1").fetchone()
    # A chain of the first format states its beginning with its first row of the next.
    stated = pruned is not None or db.execute("SELECT 1 FROM audit WHERE format > 1 LIMIT 1").fetchone()
    if beginning is not None and stated and (beginning["seq"], beginning["previous"]) != expected:
        yield AuditFault(first, f"the beginning was cut off: the first entry is {first}, it should be {expected[0]}")
    known = db.execute("SELECT seq, hash FROM audit_anchor").fetchone()
    anchors = [("the database", AnchoredRow(known["seq"], known["hash"]))] if known is not None else []
    if known is None and last:
        yield AuditFault(last, "the end can't be checked: the anchor in the database was removed")
    if anchor == UNREADABLE:
        yield AuditFault(0, f"the end can't be proven: {NAME} can't be read")
    elif anchor is not None:
        anchors.append((NAME, anchor))
    for where, row in anchors:
        there = db.execute("SELECT hash FROM audit WHERE seq = ?", (row.seq,)).fetchone()
        if row.seq > last:
            text = f"the end was cut off: the last entry is {last}, {where} has seen {row.seq}"
            yield AuditFault(last + 1, text)
        elif there is not None and there["hash"] != row.hash:
            yield AuditFault(row.seq, f"entry {row.seq} is not the one that {where} has seen")


def _rows(db: sqlite3.Connection, since: int, ended: threading.Event | None) -> Iterator[AuditFault]:
    """Whether each row is unchanged and follows the one before it, and the content of its call is the recorded one."""
    before: sqlite3.Row | None = None
    while True:
        rows = db.execute("SELECT * FROM audit WHERE seq >= ? ORDER BY seq LIMIT ?", (since, SLICE_ROWS)).fetchall()
        if not rows or (ended is not None and ended.wait(SLICE_PAUSE_S)):
            return
        for row in rows:
            if message := _row_fault(row, before):
                yield AuditFault(int(row["seq"]), message)
            before = row
        first, last = int(rows[0]["seq"]), int(rows[-1]["seq"])
        for row in db.execute(_LATEST_STEPS, (first, last)).fetchall():
            if message := _content_fault(row):
                yield AuditFault(int(row["seq"]), f"{message} the call at entry {row['seq']}")
        since = last + 1


def _row_fault(row: sqlite3.Row, before: sqlite3.Row | None) -> str:
    """What is wrong with a row; empty when nothing is."""
    seq = int(row["seq"])
    if row["format"] not in HASHED_COLUMNS or row["hash"] != row_hash(row["previous"], dict(row)):
        return f"entry {seq} was changed"
    if before is not None and seq != before["seq"] + 1:
        return f"entries {before['seq'] + 1} to {seq - 1} are missing"
    if before is not None and (row["previous"] != before["hash"] or row["format"] < before["format"]):
        return f"entry {seq} does not follow the one before it: one of them was replaced"
    return f"{FOUND_EARLIER} {row['code']}" if row["step"] == "broken" else ""


def _content_fault(row: sqlite3.Row) -> str:
    """What is wrong with the content of a call; empty when nothing is."""
    if row["format"] == 1:
        changed = row["kept"] and row["step"] == "ended" and row["result"] and digest(row["result"]) != row["digest"]
        return "somebody changed the content of" if changed else ""
    erased = row["waiting"] or (row["erased"] or 0) > row["seq"]
    if not row["kept"]:
        return "somebody removed the content of" if row["digest"] and not erased else ""
    if erased or not row["digest"]:
        return "somebody added content to"
    same = content_digest(row["salt"], row["arguments"], row["result"]) == row["digest"]
    return "" if same else "somebody changed the content of"


async def check(configuration: Configuration) -> Finding:
    """The check of the audit for the command `doctor` and the page."""
    file = configuration.home.database_file
    if not file.exists():
        return Finding("audit", ok=True, detail="no entries yet")
    try:
        found = await asyncio.to_thread(verify_file, file)
    except DatabaseError as error:
        return Finding("audit", ok=False, detail=error.message, fix=error.hint)
    fix = "reachy-mind audit verify lists all of it; compare with a backup, and find out who can write mind.db"
    return Finding("audit", found.ok, found.line, fix=fix)
