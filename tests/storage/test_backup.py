"""A backup: everything that can't be downloaded again, consistent while the mind writes."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from reachy_mind.errors import InvalidParameter
from reachy_mind.memory.memories import Fact, Memories
from reachy_mind.storage import backup
from reachy_mind.storage.backup import back_up
from reachy_mind.storage.database import Database, DatabaseError, read_migrations
from reachy_mind.storage.home import Home
from reachy_mind.storage.restore import restore
from reachy_mind.storage.snapshot import copy_consistently
from reachy_mind.tools.audit import Audit
from reachy_mind.tools.audit_verification import verify_file
from reachy_mind.tools.context import Caller
from reachy_mind.tools.definition import Outcome

FILES = ("config.yaml", "permissions.yaml", "profiles/captain/profile.md", "photos/one.jpg", "audit-anchor.json")
SCHEMAS = {"mind.db": len(read_migrations())}
NOT_THESE = ("models/large.bin", "run/mind.json", "logs/mind.log", "mind.db.damaged-1")


def filled(folder: Path) -> Home:
    for name in (*FILES, *NOT_THESE):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    return Home(folder)


async def test_it_is_consistent_while_the_mind_writes_and_can_be_restored(tmp_path: Path) -> None:
    home = filled(tmp_path / "data")
    async with Database(home.database_file) as database:
        memories = Memories(database)
        await memories.store(Fact("I live in Lyon"), person="ada")
        writing = asyncio.create_task(_write(memories))
        done = await asyncio.to_thread(back_up, home, tmp_path / "saved" / "one.tar.gz")
        await writing
    archive = tmp_path / "saved" / "one.tar.gz"
    assert archive.stat().st_mode & 0o077 == 0 and done.left_out == ("logs", "models", "run", "mind.db.damaged-1")
    restored = tmp_path / "restored"
    restore(Home(restored), archive, SCHEMAS)
    for name in FILES:
        assert (restored / name).read_text() == name
    assert not any((restored / name).exists() for name in NOT_THESE)
    assert [each.name for each in archive.parent.iterdir()] == ["one.tar.gz"], "nothing is left over"
    async with Database(restored / "mind.db") as database:
        assert await database.read(lambda db: db.execute("PRAGMA integrity_check").fetchone()[0]) == "ok"
        rows = await database.rows("SELECT content FROM memories ORDER BY seq LIMIT 1")
        assert rows == [{"content": "I live in Lyon"}]


async def _write(memories: Memories) -> None:
    for number in range(50):
        await memories.store(Fact(f"fact {number}"), person="ada")


async def test_nothing_is_overwritten_unless_told_to(tmp_path: Path) -> None:
    home = filled(tmp_path / "data")
    target = tmp_path / "one.tar.gz"
    back_up(home, target)
    with pytest.raises(InvalidParameter, match="already"):
        back_up(home, target)
    assert back_up(home, target, overwrite=True).files == len(FILES)
    with pytest.raises(InvalidParameter, match="data folder"):
        back_up(home, home.folder / "one.tar.gz")


async def test_a_damaged_database_is_no_backup(tmp_path: Path) -> None:
    home = filled(tmp_path / "data")
    home.database_file.write_bytes(b"\xff" * 8192)
    with pytest.raises(DatabaseError) as error:
        back_up(home, tmp_path / "one.tar.gz")
    assert error.value.kind == "damaged" and "repair" in error.value.hint
    assert not (tmp_path / "one.tar.gz").exists()


def test_the_anchor_of_the_audit_never_proves_more_than_the_copy_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A call that ends while the backup is written: its anchor is on disk before the archive is."""
    home = filled(tmp_path / "data")
    (home.folder / "audit-anchor.json").unlink()

    def call(number: int) -> None:
        async def act() -> None:
            async with Database(home.database_file) as database:
                audit = Audit(database)
                await audit.record_end("robot.nod", Caller(), Outcome("ok", call_id=str(number)), "{}", "{}")
                await audit.aclose()

        asyncio.run(act())

    def copy_then_call(file: Path, target: Path) -> None:
        copy_consistently(file, target)
        call(2)

    call(1)
    monkeypatch.setattr(backup, "copy_consistently", copy_then_call)
    back_up(home, tmp_path / "one.tar.gz")
    restore(Home(tmp_path / "restored"), tmp_path / "one.tar.gz", SCHEMAS)
    found = verify_file(tmp_path / "restored" / "mind.db")
    assert found.ok and (found.last, found.anchored) == (1, 1)
