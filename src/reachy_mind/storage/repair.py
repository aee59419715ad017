"""`repair`: rebuilds a damaged database from every row that can still be read. The damaged file is kept beside it.

Each row is assigned to its table by the tree it is in; where the way down a tree is broken, by the number and types of
its values. Bytes that changed inside a text can't be noticed here; in the audit, its hash chain shows them.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from reachy_mind.storage.database import DatabaseError, read_migrations
from reachy_mind.storage.faults import classify
from reachy_mind.storage.page_image import TABLE_INTERIOR, TABLE_LEAF, PageImage, RawRow, Value
from reachy_mind.storage.snapshot import find_damage, open_for_reading
from reachy_mind.system.durable_files import replace, sync_folder

SCHEMA_TABLE = "sqlite_schema"
NOT_OURS = ("sqlite_", "memories_text")
"""Tables that are not copied: SQLite's own, and the full-text index, which triggers fill."""
PARENTS = {
    "conversations": "INSERT INTO conversations (id, created_at, updated_at) SELECT conversation, min(started_at),"
    " max(started_at) FROM turns WHERE conversation NOT IN (SELECT id FROM conversations) GROUP BY conversation"
}
"""Lost rows that are created again, because rows that were found refer to them."""


@dataclass(frozen=True)
class Column:
    """A column of a table, as far as it tells whether a value fits."""

    name: str
    type: str
    required: bool
    is_rowid: bool

    def fits(self, value: Value) -> bool:
        if value is None:
            return self.is_rowid or not self.required
        kinds: dict[str, tuple[type, ...]] = {"INTEGER": (int,), "REAL": (int, float), "TEXT": (str,), "BLOB": (bytes,)}
        return isinstance(value, kinds.get(self.type, (int, float, str, bytes)))


@dataclass
class RepairReport:
    """What was done. `lost` counts rows that were seen but could not be read or did not fit their table."""

    repaired: bool
    problems: list[str]
    kept: str = ""
    """Where the damaged file is now."""
    rows: dict[str, int] = field(default_factory=dict)
    lost: dict[str, int] = field(default_factory=dict)
    lost_pages: int = 0
    """Pages that could not be read at all or were cut off; how many rows they had is unknown."""
    changed: int = 0
    """Rows in which characters that could not be read were replaced."""
    notes: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def repair(file: Path) -> RepairReport:
    """Rebuild a damaged database that no mind has open; a healthy one is left alone.

    Raises DatabaseError when the reason is another one than damage, or when the disk has no room; nothing is changed
    then.
    """
    problems = _problems(file)
    if not problems:
        return RepairReport(repaired=False, problems=[])
    draft = file.with_name(f".{file.name}.repaired")
    try:
        _remove(draft)
        report = _rebuild(PageImage.read(file), draft, problems)
        report.kept = str(_put_in_place(draft, file))
    except (OSError, sqlite3.Error) as error:
        fault = classify(error, file)
        raise DatabaseError(f"{file.name} can't be repaired: {fault.cause}", fault=fault) from error
    finally:
        with contextlib.suppress(OSError):
            _remove(draft)
    return report


def _problems(file: Path) -> list[str]:
    try:
        with open_for_reading(file) as db:
            found = find_damage(db, seconds=600)
            return found if found is not None else []
    except DatabaseError as error:
        if error.kind != "damaged":
            raise
        return [error.message]


def _rebuild(image: PageImage, draft: Path, problems: list[str]) -> RepairReport:
    report = RepairReport(repaired=True, problems=problems)
    draft.touch(mode=0o600)
    with contextlib.closing(sqlite3.connect(draft, isolation_level=None)) as db:
        _create_schema(db, image.user_version)
        tables = _tables(db)
        db.execute("BEGIN")
        found = _Assignment(image, tables)
        for table in tables:
            _insert(db, table, tables[table], found.rows.get(table, []), report)
        for table, count in found.lost.items():
            report.lost[table] = report.lost.get(table, 0) + count
        report.lost_pages = found.lost_pages
        _mend_references(db, report)
        db.execute("COMMIT")
        if left := find_damage(db, seconds=600):
            raise sqlite3.DatabaseError(f"the repaired file is not intact: {left[0]}")
    with draft.open("rb") as written:
        os.fsync(written.fileno())
    return report


def _create_schema(db: sqlite3.Connection, version: int) -> None:
    migrations = read_migrations()
    if not 0 < version <= len(migrations):
        version = len(migrations)
    for sql in migrations[:version]:
        db.executescript(sql)
    db.execute(f"PRAGMA user_version={version}")


def _tables(db: sqlite3.Connection) -> dict[str, list[Column]]:
    listed = db.execute("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'").fetchall()
    names = [str(row[0]) for row in listed if not str(row[0]).startswith(NOT_OURS)]
    return {
        name: [
            Column(str(row[1]), str(row[2]).upper(), bool(row[3]), bool(row[5]) and str(row[2]).upper() == "INTEGER")
            for row in db.execute(f"PRAGMA table_info('{name}')")
        ]
        for name in names
    }


class _Assignment:
    """Which row is of which table."""

    def __init__(self, image: PageImage, tables: dict[str, list[Column]]) -> None:
        self._image, self._tables = image, tables
        self.rows: dict[str, list[RawRow]] = {}
        self.lost: Counter[str] = Counter()
        pages = range(1, image.count + 1)
        self._parents = {
            child: page for page in pages if image.kind(page) == TABLE_INTERIOR for child in image.children(page)
        }
        leaves = [page for page in pages if image.kind(page) == TABLE_LEAF]
        roots = {1: SCHEMA_TABLE}
        for page in leaves:
            if self._root(page) == 1:
                roots |= {
                    int(row.values[3]): str(row.values[1])
                    for row in image.rows(page)
                    if len(row.values) == 5 and row.values[0] == "table" and isinstance(row.values[3], int)
                }
        for page in leaves:
            self._assign(page, roots.get(self._root(page)))
        unreadable = sum(
            roots.get(self._root(page)) in tables and image.kind(page) not in (TABLE_LEAF, TABLE_INTERIOR)
            for page in {*self._parents, *roots}
            if page <= image.count
        )
        self.lost_pages = unreadable + image.cut_off

    def _root(self, page: int) -> int:
        seen = {page}
        while (parent := self._parents.get(page)) is not None and parent not in seen:
            seen.add(page := parent)
        return page

    def _assign(self, page: int, table: str | None) -> None:
        if table is not None and table.startswith(NOT_OURS):
            return
        if table not in self._tables:  # its name or the way to it is damaged
            table = None
        for row in self._image.rows(page):
            known = table is not None and _fits(row, self._tables[table])
            fitting = [table] if known and table is not None else self._fitting(row)
            if len(fitting) == 1:
                self.rows.setdefault(fitting[0], []).append(row)
            elif fitting or table is not None:
                self.lost[table or "unknown"] += 1
        if (unreadable := self._image.unreadable_cells.get(page)) and (table or page in self._parents):
            self.lost[table or "unknown"] += unreadable

    def _fitting(self, row: RawRow) -> list[str]:
        found = [name for name, columns in self._tables.items() if _fits(row, columns)]
        exact = [name for name in found if len(self._tables[name]) == len(row.values)]
        return exact or found


def _fits(row: RawRow, columns: list[Column]) -> bool:
    """Whether the values can be a row of these columns. A row may be older than the last columns."""
    if not 0 < len(row.values) <= len(columns):
        return False
    return all(column.fits(value) for column, value in zip(columns, row.values, strict=False))


def _insert(
    db: sqlite3.Connection, table: str, columns: list[Column], rows: list[RawRow], report: RepairReport
) -> None:
    if rows:
        db.execute(f"DELETE FROM {table}")  # noqa: S608 -- what a migration has put there
    for row in sorted(rows, key=lambda each: each.rowid):
        values = {c.name: v for c, v in zip(columns, row.values, strict=False) if not c.is_rowid}
        names = ", ".join(("rowid", *(f'"{name}"' for name in values)))
        marks = ", ".join("?" for _ in range(len(values) + 1))
        try:
            db.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", (row.rowid, *values.values()))  # noqa: S608
        except sqlite3.IntegrityError:
            report.lost[table] = report.lost.get(table, 0) + 1
            continue
        report.rows[table] = report.rows.get(table, 0) + 1
        report.changed += row.replaced


def _mend_references(db: sqlite3.Connection, report: RepairReport) -> None:
    """Create lost parents again where that can be done, else clear or drop what refers to them."""
    for table, sql in PARENTS.items():
        if count := db.execute(sql).rowcount:
            report.notes.append(f"{count} lost rows of {table} were created again without their details")
    for table, rowid, key, column, nullable in list(_dangling(db)):
        if nullable:
            db.execute(f'UPDATE {table} SET "{column}" = NULL WHERE rowid = ?', (rowid,))  # noqa: S608
        elif db.execute(f"DELETE FROM {table} WHERE rowid = ?", (rowid,)).rowcount:  # noqa: S608
            report.rows[table] -= 1
            report.lost[table] = report.lost.get(table, 0) + 1
            report.notes.append(f"a row of {table} was dropped: its row of {key} is lost")


def _dangling(db: sqlite3.Connection) -> Iterator[tuple[str, int, str, str, bool]]:
    for table, rowid, parent, number in db.execute("PRAGMA foreign_key_check").fetchall():
        keys = {row[0]: row[3] for row in db.execute(f"PRAGMA foreign_key_list('{table}')")}
        column = str(keys[number])
        required = {row[1]: bool(row[3]) for row in db.execute(f"PRAGMA table_info('{table}')")}
        yield str(table), int(rowid), str(parent), column, not required[column]


def _put_in_place(draft: Path, file: Path) -> Path:
    """Put the repaired file in the place of the damaged one, which keeps another name. Returns that."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    kept = next(
        path
        for number in range(1000)
        if not (path := file.with_name(f"{file.name}.damaged-{stamp}{f'-{number}' if number else ''}")).exists()
    )
    shutil.copyfile(file, kept)
    kept.chmod(0o600)
    log = file.with_name(file.name + "-wal")
    if log.exists():
        shutil.copyfile(log, kept.with_name(kept.name + "-wal"))
        kept.with_name(kept.name + "-wal").chmod(0o600)
    for path in (kept, kept.with_name(kept.name + "-wal")):
        if path.exists():
            with path.open("rb") as copied:
                os.fsync(copied.fileno())
    sync_folder(file.parent)
    for suffix in ("-wal", "-shm"):  # they belong to the damaged file: SQLite would apply them to the new one
        file.with_name(file.name + suffix).unlink(missing_ok=True)
    replace(draft, file)
    sync_folder(file.parent)
    return kept


def _remove(draft: Path) -> None:
    for suffix in ("", "-journal", "-wal", "-shm"):
        draft.with_name(draft.name + suffix).unlink(missing_ok=True)
