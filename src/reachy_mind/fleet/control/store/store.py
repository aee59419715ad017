"""`FleetStore`: transactions in SQL, the same on SQLite and PostgreSQL.

An operation is a plain function of a `Sql`: it runs as one transaction in a thread of the store, possibly together with
others and possibly again after a conflict, so it does nothing but read and write rows. Its SQL has `?` for parameters
and only what both databases know.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, Self, TypeVar

from reachy_mind.storage.database import DatabaseError

Result = TypeVar("Result")
Row = dict[str, Any]
MIGRATIONS = "reachy_mind.fleet.control.store"


class Sql(Protocol):
    """What an operation may do."""

    def rows(self, sql: str, *parameters: Any) -> list[Row]:
        """The rows of a query, or of a RETURNING clause."""
        ...

    def row(self, sql: str, *parameters: Any) -> Row | None:
        """The first row."""
        ...

    def run(self, sql: str, *parameters: Any) -> int:
        """How many rows a statement changed."""
        ...


Operation = Callable[[Sql], Result]


class FleetStore(Protocol):
    """Use as an async context manager. Its methods raise StoreUnavailable and DatabaseError."""

    async def __aenter__(self) -> Self: ...

    async def __aexit__(self, *_: object) -> None: ...

    async def write(self, operation: Operation[Result]) -> Result:
        """Run it; what it wrote is on disk when this returns."""
        ...

    async def read(self, operation: Operation[Result]) -> Result:
        """Run it; it only reads."""
        ...

    async def check_writable(self) -> None:
        """Raises DatabaseError with the reason when nothing can be written."""
        ...


class StoreUnavailable(DatabaseError):
    """The database can't be reached just now. Whether a write that was on its way happened is not known."""

    code = "NOT_READY"


def plain_text(text: str) -> str:
    """A text of a device as every database can store it in a column; texts in JSON are escaped there."""
    return text.encode("utf-8", "replace").decode().replace("\0", "")


def write_check(sql: Sql) -> None:
    """The operation behind `check_writable`."""
    sql.run("UPDATE write_check SET checks = checks + 1")
