"""Why the disk or the database refused: each cause has its own words, and no hint puts healthy data at risk."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import resource
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from reachy_mind.errors import ConfigError
from reachy_mind.storage.database import Database, DatabaseError
from reachy_mind.storage.faults import classify
from reachy_mind.storage.files import write_text_atomically
from reachy_mind.storage.home import Home
from reachy_mind.storage.owner import Ownership

ADD = "INSERT INTO conversations (id, created_at, updated_at) VALUES (?, 0, 0)"
HARMFUL = ("move", "delete", "remove", "empty", "repair")
"""What nobody should be told to do with a healthy database."""


def harmless(error: DatabaseError) -> bool:
    return bool(error.hint) and not any(word in error.hint for word in HARMFUL)


def wrong_sqlite_error(code: int) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("it failed")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (errno.ENOSPC, "full"),
        (errno.EDQUOT, "full"),
        (errno.EROFS, "read-only"),
        (errno.EACCES, "permission"),
        (errno.EPERM, "permission"),
        (errno.EIO, "io"),
        (errno.EINVAL, "other"),
    ],
)
def test_each_cause_has_its_own_words(tmp_path: Path, number: int, kind: str) -> None:
    fault = classify(OSError(number, os.strerror(number)), tmp_path / "mind.db")
    assert fault.kind == kind and fault.hint and not any(word in fault.hint for word in HARMFUL)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (sqlite3.SQLITE_FULL, "full"),
        (sqlite3.SQLITE_BUSY, "locked"),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, "locked"),
        (sqlite3.SQLITE_LOCKED, "locked"),
        (sqlite3.SQLITE_CORRUPT, "damaged"),
        (sqlite3.SQLITE_CORRUPT_INDEX, "damaged"),
        (sqlite3.SQLITE_NOTADB, "damaged"),
        (sqlite3.SQLITE_READONLY, "read-only"),
        (sqlite3.SQLITE_READONLY_DBMOVED, "missing"),
        (sqlite3.SQLITE_IOERR_READ, "io"),
        (sqlite3.SQLITE_CONSTRAINT, "other"),
    ],
)
def test_each_result_of_sqlite(tmp_path: Path, code: int, kind: str) -> None:
    file = tmp_path / "mind.db"
    file.touch()
    fault = classify(wrong_sqlite_error(code), file)
    assert fault.kind == kind and ("repair" in fault.hint) == (kind == "damaged")


def test_a_database_that_is_gone_is_said_to_be_gone(tmp_path: Path) -> None:
    assert classify(wrong_sqlite_error(sqlite3.SQLITE_READONLY), tmp_path / "mind.db").kind == "missing"


async def test_a_lock_of_another_program(tmp_path: Path) -> None:
    file = tmp_path / "mind.db"
    async with Database(file) as database:
        await database.read(lambda db: db.execute("PRAGMA busy_timeout=10"))
        with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(DatabaseError, match="another program") as error:
                await database.execute(ADD, ("a",))
        assert (error.value.code, error.value.kind) == ("DATABASE_ERROR", "locked") and harmless(error.value)
        assert await database.execute(ADD, ("a",)) == 1


@contextlib.contextmanager
def limited_file_size(size: int) -> Iterator[None]:
    """No file may grow beyond this: like a full disk, and it needs no disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


async def test_no_room_is_told_and_harms_nothing(tmp_path: Path) -> None:
    file = tmp_path / "mind.db"
    async with Database(file) as database:
        await database.execute(ADD, ("before",))
        with limited_file_size(file.with_name("mind.db-wal").stat().st_size):
            with pytest.raises(DatabaseError) as error:
                await database.execute(ADD, ("x" * 100_000,))
            with pytest.raises(DatabaseError):
                await database.check_writable()
        assert error.value.kind == "full" and harmless(error.value)
        await database.execute(ADD, ("after",))
        rows = await database.rows("SELECT id FROM conversations ORDER BY rowid")
        assert [row["id"] for row in rows] == ["before", "after"]


@contextlib.contextmanager
def mounted(folder: Path, *options: str, read_only: bool = False) -> Iterator[None]:
    """A disk of our own; skips the test where that is not allowed."""
    folder.mkdir(exist_ok=True)
    try:
        subprocess.run(["mount", *options, str(folder)], check=True, capture_output=True)  # noqa: S607
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this machine does not let tests mount")
    try:
        if read_only:
            subprocess.run(["mount", "-o", "remount,ro,bind", str(folder)], check=True)  # noqa: S607
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)  # noqa: S607


@pytest.mark.process
async def test_a_full_disk(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    with mounted(disk, "-t", "tmpfs", "-o", "size=1m", "tmpfs"):
        async with Database(disk / "mind.db") as database:
            await database.execute(ADD, ("before",))
            filler = disk / "filler"
            with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
                while file.write(bytes(4096)):
                    pass
            with pytest.raises(DatabaseError, match="the disk is full") as error:
                await database.execute(ADD, ("x" * 100_000,))
            assert error.value.kind == "full" and harmless(error.value)
            with pytest.raises(ConfigError, match="the disk is full"):
                write_text_atomically(disk / "config.yaml", "x" * 100_000)
        with pytest.raises(DatabaseError, match="the disk is full") as opening:
            async with Database(disk / "other" / "mind.db"):
                pass
        assert opening.value.kind == "full" and harmless(opening.value)
        filler.unlink()
        async with Database(disk / "mind.db") as database:
            assert await database.rows("SELECT id FROM conversations") == [{"id": "before"}]


@pytest.mark.process
async def test_a_read_only_disk(tmp_path: Path) -> None:
    source, disk = tmp_path / "source", tmp_path / "disk"
    async with Database(source / "mind.db") as database:
        await database.execute(ADD, ("before",))
    disk.mkdir()
    with mounted(disk, "--bind", str(source), read_only=True):
        with pytest.raises(DatabaseError, match="the disk is read-only") as error:
            async with Database(disk / "mind.db") as database:
                await database.execute(ADD, ("after",))
        assert error.value.kind == "read-only" and harmless(error.value)
        with pytest.raises(ConfigError, match="the disk is read-only"), Ownership(Home(disk)):
            pass


@contextlib.contextmanager
def as_somebody_else(folder: Path) -> Iterator[None]:
    """Root may do everything, so it becomes nobody for a while, who may enter this folder."""
    if os.geteuid() != 0:
        yield
        return
    modes = {each: each.stat().st_mode for each in (folder, folder.parent, folder.parent.parent)}
    for each, mode in modes.items():
        each.chmod(mode | 0o011)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)
        for each, mode in modes.items():
            each.chmod(mode)


@pytest.mark.parametrize("place", ["new", "folder", "file"])
async def test_what_is_not_ours(tmp_path: Path, place: str) -> None:
    folder = tmp_path / "theirs"
    if place == "new":
        folder.mkdir()
    else:
        async with Database(folder / "mind.db") as database:
            await database.execute(ADD, ("before",))
    if place != "new":
        (folder / "mind.db").chmod(0o400 if place == "file" else 0o666)
    folder.chmod(0o777 if place == "file" else 0o555)
    with as_somebody_else(tmp_path), pytest.raises(DatabaseError) as error:
        async with Database(folder / "mind.db") as database:
            await database.execute(ADD, ("after",))
    assert error.value.kind == "permission" and harmless(error.value), error.value.message


async def test_damage_and_nothing_else_is_called_damage(tmp_path: Path) -> None:
    file = tmp_path / "mind.db"
    file.write_bytes(b"not a database at all, but long enough to be read as one" * 20)
    with pytest.raises(DatabaseError, match="damaged") as error:
        async with Database(file):
            pass
    assert error.value.kind == "damaged" and "reachy-mind repair" in error.value.hint


async def test_one_bad_write_of_a_group_fails_alone(tmp_path: Path) -> None:
    async with Database(tmp_path / "mind.db") as database:
        await database.execute(ADD, ("taken",))
        ids = ["a", "taken", "b"]
        done = await asyncio.gather(*(database.execute(ADD, (each,)) for each in ids), return_exceptions=True)
        assert done[0] == 1 and isinstance(done[1], DatabaseError) and done[2] == 1
        rows = await database.rows("SELECT id FROM conversations ORDER BY id")
        assert [row["id"] for row in rows] == ["a", "b", "taken"]
