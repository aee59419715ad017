"""`Database`: the mind's SQLite database `mind.db`, with migrations.

A thread of its own runs all statements, so they never block the event loop, and writes need no lock. A transaction is
on disk when `write` returns (write-ahead log: a killed process loses nothing). Numbered SQL files in `migrations/`
extend the schema.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import resources
from pathlib import Path
from typing import Any, Self, TypeVar

from reachy_mind.errors import MindError

Result = TypeVar("Result")
Operation = Callable[[sqlite3.Connection], Result]
IN_MEMORY = Path(":memory:")
PRAGMAS = ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON", "busy_timeout=5000", "secure_delete=ON")
"""`secure_delete` overwrites deleted rows on disk: what people delete is gone."""


class DatabaseError(MindError):
    """The database can't be used."""

    code = "DATABASE_ERROR"


class Database:
    """Use as `async with Database(file) as database`. Raises DatabaseError for a damaged or too new file."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._connection: sqlite3.Connection | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="database")

    async def __aenter__(self) -> Self:
        await self._in_thread(self._open)
        return self

    async def __aexit__(self, *_: object) -> None:
        try:
            await self._in_thread(self._close)
        finally:
            self._thread.shutdown()

    async def write(self, operation: Operation[Result]) -> Result:
        """Run `operation(connection)` as one transaction. Raises DatabaseError."""
        return await self._in_thread(lambda: self._transaction(operation))

    async def read(self, operation: Operation[Result]) -> Result:
        """Run `operation(connection)`, which only reads. Raises DatabaseError."""
        return await self._in_thread(lambda: self._run(operation))

    async def rows(self, sql: str, parameters: tuple[Any, ...] = ()) -> list[dict[str, Any]]:
        """The rows of a query."""
        return await self.read(lambda db: [dict(row) for row in db.execute(sql, parameters).fetchall()])

    async def execute(self, sql: str, parameters: tuple[Any, ...] = ()) -> int:
        """Run one writing statement; returns the number of changed rows."""
        return await self.write(lambda db: db.execute(sql, parameters).rowcount)

    async def _in_thread(self, function: Callable[[], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._thread, function)

    def _run(self, operation: Operation[Result]) -> Result:
        if self._connection is None:
            raise DatabaseError("the database is closed")
        try:
            return operation(self._connection)
        except sqlite3.Error as error:
            raise DatabaseError(
                f"{self.file.name}: {error}", hint="is the disk full, or the file damaged? reachy-mind doctor"
            ) from error

    def _transaction(self, operation: Operation[Result]) -> Result:
        def transaction(connection: sqlite3.Connection) -> Result:
            with connection:
                connection.execute("BEGIN IMMEDIATE")
                return operation(connection)

        return self._run(transaction)

    def _open(self) -> None:
        try:
            if self.file != IN_MEMORY:
                self.file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                self.file.touch(mode=0o600)
            self._connection = sqlite3.connect(self.file, isolation_level=None, check_same_thread=False, timeout=5)
            self._connection.row_factory = sqlite3.Row
            for pragma in PRAGMAS:
                self._connection.execute(f"PRAGMA {pragma}")
        except (OSError, sqlite3.Error) as error:
            raise DatabaseError(
                f"{self.file} can't be opened: {error}", hint="move it away to start with an empty one"
            ) from error
        self._migrate()

    def _migrate(self) -> None:
        migrations = _migrations()
        done: int = self._run(lambda db: db.execute("PRAGMA user_version").fetchone()[0])
        if done > len(migrations):
            raise DatabaseError(
                f"{self.file} was written by a newer version of this program (schema {done})",
                hint="update Reachy Mind, or choose another data folder with REACHY_MIND_HOME",
            )
        for number, sql in enumerate(migrations[done:], done + 1):
            # `executescript` commits an open transaction: begin and commit are part of the script.
            script = f"BEGIN IMMEDIATE;\n{sql}\nPRAGMA user_version={number};\nCOMMIT;"
            self._run(lambda db, script=script: db.executescript(script))  # type: ignore[misc]

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _migrations() -> list[str]:
    """The SQL files in order. Raises DatabaseError when a number is missing."""
    folder = resources.files("reachy_mind.storage") / "migrations"
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda file: file.name)
    for number, file in enumerate(files, 1):
        if not file.name.startswith(f"{number:04}_"):
            raise DatabaseError(f"migration {number} is missing: found {file.name}")
    return [file.read_text(encoding="utf-8") for file in files]
