"""The mind's database: transactions, migrations, and files that are none."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest

from reachy_mind.storage.database import IN_MEMORY, Database, DatabaseError

ADD = "INSERT INTO conversations (id, created_at, updated_at) VALUES (?, 0, 0)"


async def test_what_was_written_is_there_after_a_restart(tmp_path: Path) -> None:
    file = tmp_path / "new" / "mind.db"
    async with Database(file) as database:
        assert await database.execute(ADD, ("a",)) == 1
    async with Database(file) as database:
        assert [row["id"] for row in await database.rows("SELECT id FROM conversations")] == ["a"]
    assert file.stat().st_mode & 0o077 == 0


async def test_a_transaction_is_whole_or_nothing(tmp_path: Path) -> None:
    async with Database(tmp_path / "mind.db") as database:

        def act(db: sqlite3.Connection) -> None:
            db.execute(ADD, ("a",))
            db.execute(ADD, ("a",))

        with pytest.raises(DatabaseError, match="UNIQUE"):
            await database.write(act)
        assert await database.rows("SELECT * FROM conversations") == []


async def test_many_writers_at_once(tmp_path: Path) -> None:
    async with Database(tmp_path / "mind.db") as database:
        await asyncio.gather(*(database.execute(ADD, (str(number),)) for number in range(200)))
        (count,) = await database.rows("SELECT count(*) AS n FROM conversations")
        assert count["n"] == 200


async def test_one_that_is_only_in_memory() -> None:
    async with Database(IN_MEMORY) as database:
        await database.execute(ADD, ("a",))
        assert len(await database.rows("SELECT * FROM conversations")) == 1


@pytest.mark.parametrize("content", [b"not a database at all, but long enough to be read as one" * 20, None])
async def test_a_file_that_is_none_is_refused(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "mind.db"
    if content is None:
        file.mkdir()
    else:
        file.write_bytes(content)
    with pytest.raises(DatabaseError) as error:
        async with Database(file):
            pass
    assert error.value.hint


async def test_one_of_a_newer_program_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "mind.db"
    with sqlite3.connect(file) as newer:
        newer.execute("PRAGMA user_version = 9999")
    newer.close()
    with pytest.raises(DatabaseError, match="newer"):
        async with Database(file):
            pass
