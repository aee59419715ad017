"""Reading a database without changing it: read-only connections, its integrity, and a consistent copy of it."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from reachy_mind.storage.database import DatabaseError
from reachy_mind.storage.faults import classify

SIDE_FILES = ("-wal", "-shm")
MOST_PROBLEMS = 20
STEP_INSTRUCTIONS = 100_000
"""Of SQLite's virtual machine between two looks at the clock."""


@contextlib.contextmanager
def open_for_reading(file: Path) -> Iterator[sqlite3.Connection]:
    """A connection that can't write, also while a mind works. Raises DatabaseError."""
    try:
        if not file.is_file():
            raise DatabaseError(f"{file} does not exist", hint="it is created by the first start: reachy-mind run")
        with _connect(file) as connection:
            yield connection
    except (OSError, sqlite3.Error, UnicodeDecodeError) as error:
        fault = classify(error, file)
        raise DatabaseError(f"{file.name}: {fault.cause}", fault=fault) from error


@contextlib.contextmanager
def _connect(file: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True, timeout=5)
    try:
        connection.execute("PRAGMA schema_version")
    except sqlite3.OperationalError:
        # On a read-only disk SQLite can't create its side files: read a copy instead.
        connection.close()
        with _connect_to_copy(file) as copied:
            yield copied
        return
    with contextlib.closing(connection):
        connection.row_factory = sqlite3.Row
        yield connection


@contextlib.contextmanager
def _connect_to_copy(file: Path) -> Iterator[sqlite3.Connection]:
    with tempfile.TemporaryDirectory(prefix="reachy-mind-") as folder:
        copy = Path(folder) / file.name
        copy_files(file, copy)
        with contextlib.closing(sqlite3.connect(copy)) as connection:
            connection.row_factory = sqlite3.Row
            connection.execute("PRAGMA schema_version")
            yield connection


def copy_files(file: Path, target: Path) -> None:
    """Copy a database that nobody writes, with its write-ahead log. Raises OSError."""
    shutil.copyfile(file, target)
    log = file.with_name(file.name + "-wal")
    if log.exists():
        shutil.copyfile(log, target.with_name(target.name + "-wal"))


def find_damage(db: sqlite3.Connection, *, seconds: float = 10.0) -> list[str] | None:
    """What SQLite's own check finds wrong, in its words; None when it did not end in time.

    Raises sqlite3.Error for a file that can't be read at all.
    """
    until = time.monotonic() + seconds
    db.set_progress_handler(lambda: time.monotonic() > until, STEP_INSTRUCTIONS)
    db.text_factory = lambda text: text.decode(errors="replace")  # damaged names are part of the messages
    try:
        rows = db.execute(f"PRAGMA integrity_check({MOST_PROBLEMS})").fetchall()
        problems = [str(line) for row in rows if row[0] != "ok" for line in str(row[0]).splitlines()]
        return problems or [f"a row of {row[0]} refers to {row[2]}" for row in db.execute("PRAGMA foreign_key_check")]
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
            return None
        raise
    finally:
        db.set_progress_handler(None, 0)
        db.text_factory = str


def copy_consistently(file: Path, target: Path) -> None:
    """Copy a database, also while a mind writes it, into one new file. Raises DatabaseError, for damage too."""
    with open_for_reading(file) as source:
        try:
            with contextlib.closing(sqlite3.connect(target, isolation_level=None)) as copy:
                source.backup(copy)
                copy.execute("PRAGMA journal_mode=DELETE")  # one file: no write-ahead log beside it
        except sqlite3.Error as error:
            fault = classify(error, target)
            raise DatabaseError(f"{target.name}: {fault.cause}", fault=fault) from error
    with open_for_reading(target) as copied:
        problems = find_damage(copied, seconds=600)
    if problems:
        corrupt = sqlite3.DatabaseError(problems[0])
        corrupt.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        fault = classify(corrupt, file)
        raise DatabaseError(f"{file.name}: {fault.cause}", fault=fault)
