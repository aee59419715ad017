"""A damaged database: what can be read is kept, the damaged file too, and what was lost is told."""

from __future__ import annotations

import asyncio
import contextlib
import random
import sqlite3
from pathlib import Path

import pytest

from reachy_mind.memory.memories import Fact, Memories
from reachy_mind.storage.database import Database, DatabaseError
from reachy_mind.storage.repair import repair
from reachy_mind.tools.audit import Audit, state_repair
from reachy_mind.tools.audit_verification import verify_file
from reachy_mind.tools.context import Caller
from reachy_mind.tools.definition import Outcome

PAGE = 4096
FACTS = 400


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A healthy database, as bytes: everybody may damage a copy."""
    file = tmp_path_factory.mktemp("original") / "mind.db"

    async def fill() -> None:
        async with Database(file) as database:
            memories, audit = Memories(database), Audit(database)
            await asyncio.gather(
                *(
                    memories.store(Fact(f"fact number {number} {'about tea ' * 9}"), person="ada")
                    for number in range(FACTS)
                ),
                memories.store(Fact(f"a long one {'and longer ' * 150}"), person="bob"),
                database.execute("INSERT INTO conversations (id, created_at, updated_at) VALUES ('talk', 1, 2)"),
            )
            for number in range(100):
                await database.execute(
                    "INSERT INTO turns (id, conversation, said, state, started_at) VALUES (?, 'talk', ?, 'done', ?)",
                    (f"turn {number}", f"words {number} " * 20, number),
                )
            for number in range(60):
                await audit.record_end("robot.nod", Caller(), Outcome("ok", {}, call_id=f"call {number}"), "{}", "{}")

    asyncio.run(fill())
    return file.read_bytes()


def damaged(tmp_path: Path, content: bytes) -> Path:
    file = tmp_path / "mind.db"
    file.write_bytes(content)
    return file


def read(file: str) -> bytes:
    return Path(file).read_bytes()


def roots(content: bytes, tmp_path: Path) -> dict[str, int]:
    file = tmp_path / "look.db"
    file.write_bytes(content)
    with contextlib.closing(sqlite3.connect(file)) as db:
        return dict(db.execute("SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 0").fetchall())


async def counted(file: Path) -> dict[str, int]:
    async with Database(file) as database:
        assert await database.read(lambda db: db.execute("PRAGMA integrity_check").fetchone()[0]) == "ok"
        assert await database.rows("PRAGMA foreign_key_check") == []
        found = {}
        for table in ("memories", "turns", "conversations", "audit"):
            (row,) = await database.rows(f"SELECT count(*) AS n FROM {table}")  # noqa: S608
            found[table] = row["n"]
        return found


ALL = {"memories": FACTS + 1, "turns": 100, "conversations": 1, "audit": 60}


def test_a_healthy_one_is_left_alone(tmp_path: Path, original: bytes) -> None:
    file = damaged(tmp_path, original)
    report = repair(file)
    assert not report.repaired and file.read_bytes() == original
    assert {path.name for path in tmp_path.iterdir()} <= {"mind.db", "mind.db-wal", "mind.db-shm"}


@pytest.mark.parametrize("what", ["header", "schema", "name", "root of the memories", "an index"])
async def test_damage_that_hits_no_row_costs_none(tmp_path: Path, original: bytes, what: str) -> None:
    page = {
        "header": 1,
        "schema": 1,
        "name": 1,
        "root of the memories": roots(original, tmp_path)["memories"],
        "an index": roots(original, tmp_path)["memories_by_plain"],
    }[what]
    content = bytearray(original)
    start = (page - 1) * PAGE
    if what == "header":
        content[:100] = bytes(100)
    elif what == "name":
        at = original.index(b"tablememoriesmemories") + len("table")
        content[at : at + 16] = b"memor\xdfesmemor\xdfes"
    else:
        content[start + (100 if what == "schema" else 0) : start + PAGE] = random.Random(1).randbytes(
            PAGE - (100 if what == "schema" else 0)
        )
    file = damaged(tmp_path, bytes(content))
    report = repair(file)
    assert report.repaired and report.problems
    assert read(report.kept) == bytes(content), "the damaged file is kept as it was"
    assert await counted(file) == ALL
    async with Database(file) as database:
        (row,) = await database.rows("SELECT content FROM memories WHERE person = 'bob'")
        assert row["content"].count("and longer") == 150, "overflow pages, too"
        hits = await database.rows("SELECT count(*) AS n FROM memories_text WHERE memories_text MATCH 'number'")
        assert hits[0]["n"] == FACTS, "it is searched as before"


@pytest.mark.parametrize("seed", range(6))
async def test_flipped_bytes_cost_no_more_than_the_pages_they_hit(tmp_path: Path, original: bytes, seed: int) -> None:
    dice = random.Random(seed)
    content = bytearray(original)
    for page in dice.sample(range(2, len(content) // PAGE), 3):
        content[(page - 1) * PAGE] ^= 0xFF  # what kind of page it is; the rest may be free space or text
        for _ in range(40):
            content[(page - 1) * PAGE + dice.randrange(PAGE)] ^= dice.randrange(1, 256)
    file = damaged(tmp_path, bytes(content))
    report = repair(file)
    assert report.repaired
    found = await counted(file)
    assert sum(ALL.values()) - sum(found.values()) <= 3 * 60
    if sum(found.values()) < sum(ALL.values()):
        assert report.lost or report.lost_pages, "what is lost is told"


async def test_a_file_that_was_cut_off(tmp_path: Path, original: bytes) -> None:
    file = damaged(tmp_path, original[: len(original) // 2])
    report = repair(file)
    assert report.repaired and (report.lost or report.lost_pages)
    found = await counted(file)
    assert found["memories"] > 0


async def test_the_write_ahead_log_is_read(tmp_path: Path) -> None:
    file = tmp_path / "mind.db"
    async with Database(file) as database:
        await Memories(database).store(Fact("it is only in the log"), person="ada")
        copy = tmp_path / "copy"
        copy.mkdir()
        log = file.with_name("mind.db-wal").read_bytes()
        (copy / "mind.db-wal").write_bytes(log)
        (copy / "mind.db").write_bytes(b"\xff" * 4096)
    report = repair(copy / "mind.db")
    assert report.repaired or report.problems == []
    async with Database(copy / "mind.db") as database:
        assert await database.rows("SELECT content FROM memories") == [{"content": "it is only in the log"}]


async def test_the_audit_says_what_a_repair_lost(tmp_path: Path, original: bytes) -> None:
    with contextlib.closing(sqlite3.connect(damaged(tmp_path, original))) as db:
        db.execute("DELETE FROM audit WHERE seq = 30")
        db.commit()
    file = tmp_path / "mind.db"
    content = bytearray(file.read_bytes())
    content[(roots(bytes(content), tmp_path)["memories_by_plain"] - 1) * PAGE] = 0xFF
    file.write_bytes(content)
    assert repair(file).repaired
    assert not verify_file(file).ok
    notes = await state_repair(file)
    assert any("30" in note for note in notes)
    after = verify_file(file)
    assert after.ok and 31 in after.repaired, "it is stated, and no longer a fault"


async def test_what_is_not_damage_is_not_repaired(tmp_path: Path) -> None:
    (tmp_path / "mind.db").mkdir()
    with pytest.raises(DatabaseError) as error:
        repair(tmp_path / "mind.db")
    assert error.value.kind != "damaged"
