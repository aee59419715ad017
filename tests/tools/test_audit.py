"""The audit proves what happened: every kind of tampering is found, and nothing that is allowed looks like it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sqlite3
import time
from pathlib import Path

import pytest

from reachy_mind.storage.database import Database, read_migrations
from reachy_mind.tools.audit import Audit, AuditCheck
from reachy_mind.tools.audit_anchor import NAME
from reachy_mind.tools.audit_chain import GENESIS, HASHED_COLUMNS, row_hash
from reachy_mind.tools.audit_verification import verify_file
from reachy_mind.tools.context import Caller
from reachy_mind.tools.definition import Outcome

DAY = 86400.0


async def recorded(audit: Audit, number: int, *, person: str = "") -> None:
    """One call: allowed, and ended."""
    caller, call_id = Caller(person=person), f"call {number}"
    arguments, result = json.dumps({"said": f"secret {number}"}), json.dumps({"heard": number})
    await audit.record_decision(call_id, "robot.nod", 1, caller, arguments, "")
    await audit.record_end("robot.nod", caller, Outcome("ok", call_id=call_id), arguments, result)


@pytest.fixture
async def file(tmp_path: Path) -> Path:
    """Ten calls, twenty rows, and the anchor of the last."""
    async with Database(tmp_path / "mind.db") as database:
        audit = Audit(database)
        for number in range(10):
            await recorded(audit, number, person="ada" if number % 2 else "bob")
        await audit.aclose()
    return tmp_path / "mind.db"


def tamper(file: Path, *statements: str) -> None:
    """What somebody can do who may write the database, and nothing else."""
    with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as db:
        for sql in statements:
            db.executescript(sql)


def forge(file: Path, since: int) -> None:
    """Compute the hashes again from a row on, as somebody would who knows how they are made."""
    with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.row_factory = sqlite3.Row
        before = db.execute("SELECT hash FROM audit WHERE seq < ? ORDER BY seq DESC LIMIT 1", (since,)).fetchone()
        previous = before["hash"] if before else GENESIS
        for row in db.execute("SELECT * FROM audit WHERE seq >= ? ORDER BY seq", (since,)).fetchall():
            made = row_hash(previous, dict(row))
            db.execute("UPDATE audit SET previous = ?, hash = ? WHERE seq = ?", (previous, made, row["seq"]))
            previous = made
        last = "SELECT 1, seq, hash FROM audit ORDER BY seq DESC LIMIT 1"
        db.execute(f"INSERT OR REPLACE INTO audit_anchor (id, seq, hash) {last}")


def test_one_that_nobody_touched_is_proven(file: Path) -> None:
    found = verify_file(file)
    assert found.ok and (found.rows, found.first, found.last, found.anchored) == (20, 1, 20, 20)


@pytest.mark.parametrize(
    ("sql", "row"),
    [
        ("UPDATE audit SET status = 'denied' WHERE seq = 7", 7),
        ("UPDATE audit SET at = at + 1 WHERE seq = 1", 1),
        ("UPDATE audit SET principal = 'token other (1)' WHERE seq = 20", 20),
        ("DELETE FROM audit WHERE seq = 7", 8),
        ("DELETE FROM audit WHERE seq IN (7, 8)", 9),
        ("DELETE FROM audit WHERE seq <= 4", 5),
        ("DELETE FROM audit WHERE seq > 18", 19),
        ("DELETE FROM audit WHERE seq = 20", 19),
        ("DELETE FROM audit", 1),
        ("UPDATE audit_content SET arguments = '{}' WHERE call_id = 'call 3'", 8),
        ("UPDATE audit_content SET result = '{}' WHERE call_id = 'call 9'", 20),
        ("DROP TRIGGER audit_content_gone; DELETE FROM audit_content WHERE call_id = 'call 3'", 8),
        ("UPDATE audit_content SET call_id = 'x' WHERE call_id = 'call 3'", 8),
        ("INSERT INTO audit_content (call_id, arguments) VALUES ('call 99', 'planted')", 0),
        ("UPDATE audit SET seq = seq + 100 WHERE seq > 10", 111),
    ],
)
def test_tampering_is_found(file: Path, sql: str, row: int) -> None:
    tamper(file, sql)
    found = verify_file(file)
    assert not found.ok and found.faults[0].seq == row, found.line


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE audit SET status = 'denied' WHERE seq = 7",
        "DELETE FROM audit WHERE seq > 18",
        "DELETE FROM audit WHERE seq <= 4",
        "UPDATE audit SET digest = '' WHERE call_id = 'call 3'; DELETE FROM audit_content WHERE call_id = 'call 3'",
    ],
)
def test_even_with_all_hashes_made_again(file: Path, sql: str) -> None:
    tamper(file, sql)
    forge(file, 1)
    found = verify_file(file)
    assert not found.ok and NAME in " ".join(fault.message for fault in found.faults) + found.line


async def test_what_a_person_had_erased_is_no_tampering(file: Path) -> None:
    async with Database(file) as database:
        audit = Audit(database)
        assert await audit.erase("ada") == 5
        assert await audit.verify() is None, "already before the next call"
        await recorded(audit, 10)
        assert await audit.verify() is None
        found = await audit.verification()
        assert found.erased == 5
        await database.execute(
            "INSERT INTO audit_content (call_id, arguments) VALUES ('call 1', 'they never said this')"
        )
        assert await audit.verify() == 4, "content that was erased does not come back"


async def test_digests_do_not_betray_what_was_erased(file: Path) -> None:
    """Without its salt a digest can't be compared with guesses."""
    async with Database(file) as database:
        (salted,) = await database.rows("SELECT digest FROM audit WHERE seq = 4")
        await Audit(database).erase("ada")
        await Audit(database).record_end("robot.nod", Caller(), Outcome("ok", call_id="same"), "{}", "{}")
        await Audit(database).record_end("robot.nod", Caller(), Outcome("ok", call_id="again"), "{}", "{}")
        rows = await database.rows("SELECT digest FROM audit WHERE call_id IN ('same', 'again')")
    assert salted["digest"] and rows[0]["digest"] != rows[1]["digest"]


async def test_a_cut_end_is_still_known_after_the_next_start(file: Path) -> None:
    tamper(file, "DELETE FROM audit WHERE seq > 18; UPDATE audit_anchor SET seq = 18")
    tamper(file, "UPDATE audit_anchor SET hash = (SELECT hash FROM audit WHERE seq = 18)")
    async with Database(file) as database:
        audit = Audit(database)
        assert not (await audit.verify_at_start()).ok
        await recorded(audit, 11)
        await audit.aclose()
    found = verify_file(file)
    assert not found.ok and "found earlier: the end was cut off" in found.line
    async with Database(file) as database:
        await Audit(database).verify_at_start()
        (count,) = await database.rows("SELECT count(*) AS n FROM audit WHERE step = 'broken'")
    assert count["n"] == 2, "both the end and the content without an entry, each once"


async def test_a_start_says_what_was_changed_long_ago(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from reachy_mind import log

    tamper(file, "UPDATE audit SET status = 'denied' WHERE seq = 7")
    log.configure("error")
    async with AuditCheck(file) as check:
        await check.done()
    assert "entry 7 was changed" in capsys.readouterr().err


def test_an_anchor_that_makes_no_sense_is_no_proof(file: Path) -> None:
    file.with_name(NAME).write_text("{}")
    found = verify_file(file)
    assert not found.ok and NAME in found.line


# Pruning and clocks


def set_clock(file: Path, *times: tuple[int, float]) -> None:
    """Give rows the time that a wrong clock had, as it would have been recorded."""
    with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as db:
        for seq, at in times:
            db.execute("UPDATE audit SET at = ? WHERE seq = ?", (at, seq))
    forge(file, 1)
    file.with_name(NAME).unlink()


@pytest.mark.parametrize(
    ("times", "gone"),
    [
        ([(seq, time.time() - 40 * DAY) for seq in range(1, 5)], 4),
        ([(7, 0.0), (8, 0.0)], 0),
        ([(seq, time.time() - 40 * DAY) for seq in (1, 2)] + [(7, 0.0), (8, 0.0)], 2),
        ([(7, time.time() + 900 * DAY)], 0),
        ([(1, time.time() + 900 * DAY), (2, time.time() - 40 * DAY)], 2),
        ([(seq, time.time() - 40 * DAY) for seq in range(1, 21)], 0),
    ],
    ids=["old ones", "a clock set back", "both", "a clock ahead", "ahead, then old", "nothing newer"],
)
async def test_pruning_takes_from_the_beginning_alone(file: Path, times: list[tuple[int, float]], gone: int) -> None:
    set_clock(file, *times)
    async with Database(file) as database:
        audit = Audit(database)
        assert await audit.prune(30) == gone
        assert await audit.verify() is None
        (first,) = await database.rows("SELECT min(seq) AS seq FROM audit")
        assert first["seq"] == gone + 1
        (kept,) = await database.rows("SELECT count(*) AS n FROM audit_content")
        assert kept["n"] == 10 - gone // 2
        await recorded(audit, 12)
        assert await audit.verify() is None


async def test_a_clock_far_ahead_at_a_start_prunes_nothing(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 4000 * DAY)
    async with Database(file) as database:
        assert await Audit(database).prune(30) == 0


async def test_a_pruned_beginning_that_is_cut_further_is_found(file: Path) -> None:
    set_clock(file, *((seq, time.time() - 40 * DAY) for seq in range(1, 5)))
    async with Database(file) as database:
        await Audit(database).prune(30)
    tamper(file, "DELETE FROM audit WHERE seq <= 8; DELETE FROM audit_content WHERE call_id IN ('call 2', 'call 3')")
    found = verify_file(file)
    assert not found.ok and "the beginning was cut off" in found.faults[0].message


# A chain of the version before


async def test_a_chain_of_the_version_before_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "mind.db"
    with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as db:
        for sql in read_migrations()[:2]:
            db.executescript(sql)
        db.execute("PRAGMA user_version = 2")
        previous = "f" * 64  # the row before it was pruned
        for seq in range(40, 44):
            row = dict.fromkeys(HASHED_COLUMNS[1], "")
            row |= {"at": 1e9, "call_id": f"old {seq}", "step": "ended", "tier": 1, "duration_ms": 0.0}
            made = row_hash(previous, row | {"format": 1})
            row |= {"seq": seq, "previous": previous, "hash": made}
            marks = ", ".join("?" for _ in row)
            db.execute(f"INSERT INTO audit ({', '.join(row)}) VALUES ({marks})", tuple(row.values()))  # noqa: S608
            previous = made
    async with Database(file) as database:
        audit = Audit(database)
        assert await audit.verify() is None
        await recorded(audit, 1)
        assert await audit.verify() is None
        await audit.aclose()
    tamper(file, "DELETE FROM audit WHERE seq = 40")
    assert not verify_file(file).ok


async def test_without_memory_no_words_and_no_digests_are_kept(tmp_path: Path) -> None:
    async with Database(tmp_path / "mind.db") as database:
        audit = Audit(database, keep_content=False)
        await recorded(audit, 1)
        assert await database.rows("SELECT * FROM audit_content") == [] and await audit.verify() is None
        assert {row["digest"] for row in await database.rows("SELECT digest FROM audit")} == {""}


async def test_the_anchor_is_for_its_owner_and_lags_behind_by_seconds(tmp_path: Path) -> None:
    async with Database(tmp_path / "mind.db") as database:
        audit = Audit(database)
        await asyncio.gather(*(recorded(audit, number) for number in range(20)))
        await audit.aclose()
        anchor = json.loads((tmp_path / NAME).read_text())
        (last,) = await database.rows("SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1")
        assert anchor == last and (tmp_path / NAME).stat().st_mode & 0o077 == 0
