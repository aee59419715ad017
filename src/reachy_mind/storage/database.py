"""`Database`: an SQLite database, such as the mind's `mind.db`, with migrations.

A thread of its own runs all statements, so they never block the event loop, and writes need no lock. Writes that wait
at the same time share one transaction, and with it one sync to disk (group commit); each of them still succeeds or
fails alone. A transaction is on disk when `write` returns: the write-ahead log is synced at every commit, so that
neither a killed process nor a power cut loses it. `durable=False` leaves out that sync, for what can be computed again
or is of no use without a later durable write. Numbered SQL files in the folder `migrations/` of a package extend its
schema.
"""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from importlib import resources
from pathlib import Path
from typing import Any, Generic, Self, TypeVar

from reachy_mind.errors import MindError
from reachy_mind.storage.faults import Kind, StorageFault, classify
from reachy_mind.storage.files import make_folder

Result = TypeVar("Result")
Operation = Callable[[sqlite3.Connection], Result]
IN_MEMORY = Path(":memory:")
MIND = "reachy_mind.storage"
"""The package with the migrations of `mind.db`."""
PRAGMAS = ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=5000", "secure_delete=ON")
"""`synchronous=FULL` syncs every commit. `secure_delete` overwrites deleted rows: what people delete is gone."""
LARGEST_GROUP = 100
"""Writes in one transaction."""


class DatabaseError(MindError):
    """The database can't be used. `kind` says why: see `StorageFault`."""

    code = "DATABASE_ERROR"

    def __init__(self, message: str, *, hint: str = "", fault: StorageFault | None = None) -> None:
        super().__init__(message, hint=fault.hint if fault is not None else hint)
        self.kind: Kind = fault.kind if fault is not None else "other"


class _Write(Generic[Result]):
    """A write that waits for its turn."""

    def __init__(self, operation: Operation[Result], *, durable: bool) -> None:
        self.operation, self.durable = operation, durable
        self.done: Future[Result] = Future()


class Database:
    """Use as `async with Database(file) as database`. Raises DatabaseError for a damaged or too new file.

    `migrations`: the package whose folder `migrations` has the schema.
    """

    def __init__(self, file: Path, migrations: str = MIND) -> None:
        self.file, self._migrations = file, migrations
        self._connection: sqlite3.Connection | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="database")
        self._writes: deque[_Write[Any]] = deque()
        self._synced = True

    async def __aenter__(self) -> Self:
        await self._in_thread(self._open)
        return self

    async def __aexit__(self, *_: object) -> None:
        try:
            await self._in_thread(self._close)
        finally:
            self._thread.shutdown()

    async def write(self, operation: Operation[Result], *, durable: bool = True) -> Result:
        """Run `operation(connection)` as one transaction, on disk when this returns. Raises DatabaseError."""
        waiting = _Write(operation, durable=durable)
        self._writes.append(waiting)
        self._thread.submit(self._run_writes)
        return await asyncio.wrap_future(waiting.done)

    async def read(self, operation: Operation[Result]) -> Result:
        """Run `operation(connection)`, which only reads. Raises DatabaseError."""
        return await self._in_thread(lambda: self._run(operation))

    async def rows(self, sql: str, parameters: tuple[Any, ...] = ()) -> list[dict[str, Any]]:
        """The rows of a query."""
        return await self.read(lambda db: [dict(row) for row in db.execute(sql, parameters).fetchall()])

    async def execute(self, sql: str, parameters: tuple[Any, ...] = (), *, durable: bool = True) -> int:
        """Run one writing statement; returns the number of changed rows."""
        return await self.write(lambda db: db.execute(sql, parameters).rowcount, durable=durable)

    async def check_writable(self) -> None:
        """Write something. Raises DatabaseError with the reason when nothing can be written."""
        await self.execute("UPDATE write_check SET checks = checks + 1", durable=False)

    async def _in_thread(self, function: Callable[[], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._thread, function)

    def _run(self, operation: Operation[Result]) -> Result:
        if self._connection is None:
            raise DatabaseError("the database is closed")
        try:
            return operation(self._connection)
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise self._failure(error) from error

    def _failure(self, error: sqlite3.Error | UnicodeDecodeError) -> DatabaseError:
        fault = classify(error, self.file)
        return DatabaseError(f"{self.file.name}: {fault.cause}", fault=fault)

    def _run_writes(self) -> None:
        """Run the writes that wait, in one transaction. Those whose caller has left by now are not run."""
        group: list[_Write[Any]] = []
        while self._writes and len(group) < LARGEST_GROUP:
            write = self._writes.popleft()
            if write.done.set_running_or_notify_cancel():
                group.append(write)
        if not group:
            return
        try:
            outcomes = self._run(lambda db: self._commit(db, group))
        except BaseException as error:  # noqa: BLE001 -- it belongs to whoever waits for the writes
            for write in group:
                write.done.set_exception(error)
            return
        for write, (result, failure) in zip(group, outcomes, strict=True):
            if failure is not None:
                write.done.set_exception(failure)
            else:
                write.done.set_result(result)

    def _commit(self, db: sqlite3.Connection, group: list[_Write[Any]]) -> list[tuple[Any, BaseException | None]]:
        """The results of the group, after its commit. Raises what made the whole transaction fail."""
        durable = any(write.durable for write in group)
        if durable != self._synced:
            db.execute(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
            self._synced = durable
        db.execute("BEGIN IMMEDIATE")
        try:
            outcomes = [self._run_one(db, write.operation) for write in group]
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:
                with contextlib.suppress(sqlite3.Error):  # the first error is the one to tell
                    db.execute("ROLLBACK")
            raise
        return outcomes

    def _run_one(self, db: sqlite3.Connection, operation: Operation[Any]) -> tuple[Any, BaseException | None]:
        """One write of a group; an error undoes this one alone."""
        db.execute("SAVEPOINT one")
        try:
            result = operation(db)
        except BaseException as error:
            if not db.in_transaction:  # SQLite has rolled back everything: a full disk, an input or output error
                raise
            db.execute("ROLLBACK TO one")
            db.execute("RELEASE one")
            if isinstance(error, sqlite3.Error):
                failure = self._failure(error)
                failure.__cause__ = error
                return None, failure
            return None, error
        db.execute("RELEASE one")
        return result, None

    def _open(self) -> None:
        try:
            if self.file != IN_MEMORY:
                make_folder(self.file.parent)
                self.file.touch(mode=0o600)
            self._connection = sqlite3.connect(self.file, isolation_level=None, check_same_thread=False, timeout=5)
            self._connection.row_factory = sqlite3.Row
            migrations = read_migrations(self._migrations)
            done = self._known_version(len(migrations))  # before anything is changed
            for pragma in PRAGMAS:
                self._connection.execute(f"PRAGMA {pragma}")
        except (OSError, sqlite3.Error, UnicodeDecodeError) as error:
            fault = classify(error, self.file)
            raise DatabaseError(f"{self.file} can't be opened: {fault.cause}", fault=fault) from error
        self._migrate(migrations, done)

    def _known_version(self, newest: int) -> int:
        """The version of the schema. Raises DatabaseError for one that this program does not know."""
        assert self._connection is not None
        version: int = self._connection.execute("PRAGMA user_version").fetchone()[0]
        if version > newest:
            self._close()
            raise DatabaseError(
                f"{self.file} was written by a newer version of this program (schema {version}, here {newest})",
                hint="update Reachy Mind (pip install -U), or choose another data folder with REACHY_MIND_HOME;"
                " nothing was changed",
            )
        return version

    def _migrate(self, migrations: list[str], done: int) -> None:
        for number, sql in enumerate(migrations[done:], done + 1):
            # `executescript` commits an open transaction: begin and commit are part of the script.
            script = f"BEGIN IMMEDIATE;\n{sql}\nPRAGMA user_version={number};\nCOMMIT;"
            self._run(lambda db, script=script: db.executescript(script))  # type: ignore[misc]

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def read_migrations(package: str = MIND) -> list[str]:
    """The SQL files of a package in order. Raises DatabaseError when a number is missing."""
    folder = resources.files(package) / "migrations"
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda file: file.name)
    for number, file in enumerate(files, 1):
        if not file.name.startswith(f"{number:04}_"):
            raise DatabaseError(f"migration {number} is missing: found {file.name}")
    return [file.read_text(encoding="utf-8") for file in files]
