"""`PostgresStore`: the store of many nodes.

Some threads, each with a connection of its own. Writes that wait at the same time share one transaction; when one of
them fails, all are run again, each alone, so that an error is only its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Generic, Self

from reachy_mind import log
from reachy_mind.errors import MissingExtra
from reachy_mind.fleet.control.store.store import MIGRATIONS, Operation, Result, Row, StoreUnavailable, write_check
from reachy_mind.storage.database import DatabaseError, read_migrations

if TYPE_CHECKING:
    import psycopg

CONNECTIONS = 4
LARGEST_GROUP = 100
"""Writes in one transaction."""
RETRIES = 5
"""After a deadlock or a conflict with another node."""
CONNECT_TIMEOUT_S = 5
STATEMENT_TIMEOUT_MS = 15_000
MIGRATION_LOCK = 0x72656163
"""Only one node at a time extends the schema."""
_SETTINGS = f"-c synchronous_commit=on -c statement_timeout={STATEMENT_TIMEOUT_MS} -c lock_timeout=5000"

_log = log.get(__name__)


class _Write(Generic[Result]):
    """A write that waits for its turn."""

    def __init__(self, operation: Operation[Result]) -> None:
        self.operation = operation
        self.done: Future[Result] = Future()


class PostgresStore:
    """See `Store`. `url`: postgresql://USER:PASSWORD@HOST/DATABASE."""

    def __init__(self, url: str) -> None:
        try:
            import psycopg  # noqa: PLC0415 -- only where the extra is installed
        except ImportError:
            raise MissingExtra("a store in PostgreSQL", "fleet") from None
        self._psycopg = psycopg
        self._url = url
        self._threads = ThreadPoolExecutor(CONNECTIONS, thread_name_prefix="fleet store")
        self._own = threading.local()
        self._opened: list[psycopg.Connection[Row]] = []
        self._writes: deque[_Write[Any]] = deque()

    async def __aenter__(self) -> Self:
        try:
            await self._in_thread(self._migrate)
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self._threads.shutdown)
        for connection in self._opened:
            connection.close()

    async def write(self, operation: Operation[Result]) -> Result:
        waiting = _Write(operation)
        self._writes.append(waiting)
        self._threads.submit(self._run_writes)
        return await asyncio.wrap_future(waiting.done)

    async def read(self, operation: Operation[Result]) -> Result:
        return await self._in_thread(lambda: self._run([operation])[0])

    async def check_writable(self) -> None:
        await self.write(write_check)

    async def _in_thread(self, function: Callable[[], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._threads, function)

    def _connection(self) -> psycopg.Connection[Row]:
        """This thread's; opened again when it was lost."""
        found: psycopg.Connection[Row] | None = getattr(self._own, "connection", None)
        if found is None or found.closed:
            opened = self._psycopg.connect(
                self._url,
                row_factory=self._psycopg.rows.dict_row,
                connect_timeout=CONNECT_TIMEOUT_S,
                options=_SETTINGS,
                application_name="reachy-mind fleet",
            )
            if found is not None:
                self._opened.remove(found)
            self._opened.append(opened)
            self._own.connection = found = opened
        return found

    def _run_writes(self) -> None:
        """Run the writes that wait, in one transaction. Those whose caller has left by now are not run."""
        group: list[_Write[Any]] = []
        with contextlib.suppress(IndexError):  # another thread took the last one
            while self._writes and len(group) < LARGEST_GROUP:
                write = self._writes.popleft()
                if write.done.set_running_or_notify_cancel():
                    group.append(write)
        if not group:
            return
        try:
            results = self._run([write.operation for write in group])
        except StoreUnavailable as error:
            for write in group:
                write.done.set_exception(error)
        except BaseException as error:  # noqa: BLE001 -- it belongs to whoever waits for the write
            if len(group) == 1:
                group[0].done.set_exception(error)
                return
            for write in group:
                self._run_alone(write)
        else:
            for write, result in zip(group, results, strict=True):
                write.done.set_result(result)

    def _run_alone(self, write: _Write[Any]) -> None:
        try:
            write.done.set_result(self._run([write.operation])[0])
        except BaseException as error:  # noqa: BLE001 -- as above
            write.done.set_exception(error)

    def _run(self, operations: list[Operation[Any]]) -> list[Any]:
        """The results of operations in one transaction, after its commit."""
        errors = self._psycopg.errors
        for attempt in range(RETRIES):
            begun = False
            try:
                connection = self._connection()
                with connection.transaction():
                    begun = True
                    return [operation(_PostgresSql(connection)) for operation in operations]
            except (errors.DeadlockDetected, errors.SerializationFailure, errors.LockNotAvailable) as error:
                if attempt == RETRIES - 1:
                    reason = f"the database is overloaded: {_first_line(error)}"
                    raise DatabaseError(reason, hint="try again") from error
                time.sleep(0.01 * 2**attempt)
            except (errors.DiskFull, errors.ReadOnlySqlTransaction) as error:
                hint = "free some space for the database; nothing was stored, devices keep what they have"
                raise DatabaseError(f"the database can't write: {_first_line(error)}", hint=hint) from error
            except (self._psycopg.OperationalError, self._psycopg.InterfaceError) as error:
                self._discard()
                if attempt == 0 and not begun:  # this thread's connection is older than the server: nothing was done
                    continue
                reason = f"the database can't be reached: {_first_line(error)}"
                raise StoreUnavailable(reason, hint="is PostgreSQL running, and the address right?") from error
            except self._psycopg.Error as error:
                raise DatabaseError(f"the database refused a statement: {_first_line(error)}") from error
        raise AssertionError("unreachable")

    def _discard(self) -> None:
        connection = getattr(self._own, "connection", None)
        if connection is not None:
            connection.close()

    def _migrate(self) -> None:
        migrations = read_migrations(MIGRATIONS)

        def migrate(sql: Any) -> None:
            sql.run("SELECT pg_advisory_xact_lock(?)", MIGRATION_LOCK)
            sql.run("CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)")
            found = sql.row("SELECT version FROM schema_version")
            done = found["version"] if found else 0
            if not found:
                sql.run("INSERT INTO schema_version (version) VALUES (0)")
            if done > len(migrations):
                raise DatabaseError(
                    f"the database was written by a newer version of this program (schema {done})",
                    hint="update Reachy Mind on this node",
                )
            for text in migrations[done:]:
                sql.run(text)
            sql.run("UPDATE schema_version SET version = ?", len(migrations))
            if done < len(migrations):
                _log.info("the database has its tables", schema=len(migrations))

        self._run([migrate])


class _PostgresSql:
    """See `Sql`."""

    def __init__(self, connection: psycopg.Connection[Row]) -> None:
        self._connection = connection

    def rows(self, sql: str, *parameters: Any) -> list[Row]:
        return self._execute(sql, parameters).fetchall()

    def row(self, sql: str, *parameters: Any) -> Row | None:
        return self._execute(sql, parameters).fetchone()

    def run(self, sql: str, *parameters: Any) -> int:
        return self._execute(sql, parameters).rowcount

    def _execute(self, sql: str, parameters: tuple[Any, ...]) -> psycopg.Cursor[Row]:
        # Without parameters psycopg takes the text as it is, so that a migration may have several statements.
        text = sql.replace("%", "%%").replace("?", "%s") if parameters else sql
        return self._connection.execute(text, parameters or None)


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0][:200] or type(error).__name__
