"""`Database`: the mind's one SQLite file, `mind.db`.

All of it happens in one thread of its own, so nothing here keeps the event loop waiting, and writes need no lock. What
was written is on disk when `write` returns (write-ahead log; a killed process loses nothing). The schema grows by
numbered SQL files in `migrations/`.
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
Act = Callable[[sqlite3.Connection], Result]
IN_MEMORY = Path(":memory:")
PRAGMAS = ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON", "busy_timeout=5000", "secure_delete=ON")
"""Deleted is deleted: `secure_delete` overwrites what rows leave behind."""


class DatabaseError(MindError):
    """The database can't be used."""

    code = "DATABASE_ERROR"


class Database:
    """Use as `async with Database(file) as database`. Raises DatabaseError for a file that is none, or too new."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._connection: sqlite3.Connection | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="database")

    async def __aenter__(self) -> Self:
        await self._do(self._open)
        return self

    async def __aexit__(self, *_: object) -> None:
        try:
            await self._do(self._close)
        finally:
            self._thread.shutdown()

    async def write(self, act: Act[Result]) -> Result:
        """Run `act(connection)` as one transaction: all of it or nothing. Raises DatabaseError."""
        return await self._do(lambda: self._transaction(act))

    async def read(self, act: Act[Result]) -> Result:
        """Run `act(connection)`, which only looks."""
        return await self._do(lambda: self._act(act))

    async def rows(self, sql: str, parameters: tuple[Any, ...] = ()) -> list[dict[str, Any]]:
        """What a query finds."""
        return await self.read(lambda db: [dict(row) for row in db.execute(sql, parameters).fetchall()])

    async def execute(self, sql: str, parameters: tuple[Any, ...] = ()) -> int:
        """One statement that changes something; how many rows it changed."""
        return await self.write(lambda db: db.execute(sql, parameters).rowcount)

    async def _do(self, act: Callable[[], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._thread, act)

    def _act(self, act: Act[Result]) -> Result:
        if self._connection is None:
            raise DatabaseError("the database is closed")
        try:
            return act(self._connection)
        except sqlite3.Error as error:
            raise DatabaseError(
                f"{self.file.name}: {error}", hint="is the disk full, or the file damaged? reachy-mind doctor"
            ) from error

    def _transaction(self, act: Act[Result]) -> Result:
        def whole(connection: sqlite3.Connection) -> Result:
            with connection:
                connection.execute("BEGIN IMMEDIATE")
                return act(connection)

        return self._act(whole)

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
        done: int = self._act(lambda db: db.execute("PRAGMA user_version").fetchone()[0])
        if done > len(migrations):
            raise DatabaseError(
                f"{self.file} was written by a newer version of this program (schema {done})",
                hint="update Reachy Mind, or choose another data folder with REACHY_MIND_HOME",
            )
        for number, sql in enumerate(migrations[done:], done + 1):
            # `executescript` would end the transaction it is in: begin and commit are part of the script.
            script = f"BEGIN IMMEDIATE;\n{sql}\nPRAGMA user_version={number};\nCOMMIT;"
            self._act(lambda db, script=script: db.executescript(script))  # type: ignore[misc]

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _migrations() -> list[str]:
    """The SQL files in order; they are numbered from 1 without a gap."""
    folder = resources.files("reachy_mind") / "migrations"
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda file: file.name)
    for number, file in enumerate(files, 1):
        if not file.name.startswith(f"{number:04}_"):
            raise DatabaseError(f"migration {number} is missing: found {file.name}")
    return [file.read_text(encoding="utf-8") for file in files]
