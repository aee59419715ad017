"""`SqliteStore`: the store of one node, a file. Writes that wait at the same time share one sync to disk."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any, Self

from reachy_mind.fleet.control.store.store import MIGRATIONS, Operation, Result, Row, write_check
from reachy_mind.storage.database import Database


class SqliteStore:
    """See `Store`."""

    def __init__(self, file: Path) -> None:
        self._database = Database(file, MIGRATIONS)

    async def __aenter__(self) -> Self:
        await self._database.__aenter__()
        return self

    async def __aexit__(self, *about: object) -> None:
        await self._database.__aexit__(*about)

    async def write(self, operation: Operation[Result]) -> Result:
        return await self._database.write(lambda db: operation(_SqliteSql(db)))

    async def read(self, operation: Operation[Result]) -> Result:
        return await self._database.read(lambda db: operation(_SqliteSql(db)))

    async def check_writable(self) -> None:
        await self.write(write_check)


class _SqliteSql:
    """See `Sql`."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def rows(self, sql: str, *parameters: Any) -> list[Row]:
        return [dict(row) for row in self._db.execute(sql, parameters).fetchall()]

    def row(self, sql: str, *parameters: Any) -> Row | None:
        found = self.rows(sql, *parameters)
        return found[0] if found else None

    def run(self, sql: str, *parameters: Any) -> int:
        return self._db.execute(sql, parameters).rowcount
