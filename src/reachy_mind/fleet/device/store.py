"""`DeviceStore`: the device's SQLite file: its numbering, `outbox`, `inbox` and `twin` have their rows there.

What `write` wrote survives a power cut. A damaged file is put aside, never deleted: a new one with a new epoch takes
its place, with the events that could still be read (`rescue.py`). One process at a time uses a store.
"""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar

from filelock import FileLock, Timeout

from reachy_mind import log
from reachy_mind.errors import AlreadyRunning
from reachy_mind.fleet.device.damage import damaged, making_sense_of
from reachy_mind.fleet.device.rescue import insert_rescued, read_waiting
from reachy_mind.fleet.protocol.frame import EMERGENCY, USUAL, Lane
from reachy_mind.fleet.protocol.handshake import DownHigh
from reachy_mind.fleet.protocol.message_ids import uuid7
from reachy_mind.storage.database import IN_MEMORY, Database, DatabaseError, Operation
from reachy_mind.storage.faults import classify
from reachy_mind.storage.files import make_folder
from reachy_mind.system.durable_files import sync_folder

MIGRATIONS = "reachy_mind.fleet.device"
SIDE_FILES = ("", "-wal", "-shm")
UNREAD, READ = ".unread-", ".damaged-"
"""In the names of files that were put aside: whether what could be read of them has been taken over."""

_log = log.get(__name__)
Result = TypeVar("Result")


@dataclass(frozen=True)
class StorePosition:
    """How far both numberings are. `last`: the highest number ever given in this epoch, by lane."""

    epoch: str
    last: dict[Lane, int]
    down: DownHigh


class DeviceStore:
    """Use as an async context manager. Raises AlreadyRunning, and DatabaseError when the disk refuses."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._database = Database(file, MIGRATIONS)
        self._lock = FileLock(file.with_name(file.name + ".lock"), mode=0o600) if file != IN_MEMORY else None
        self._replacing = asyncio.Lock()
        self._epoch = ""
        self._failed: DatabaseError | None = None
        """Why there is no open database, when a new one could not take the place of a damaged one."""

    @property
    def epoch(self) -> str:
        """The name of this store's numbering."""
        return self._epoch

    async def __aenter__(self) -> Self:
        self._take_lock()
        try:
            try:
                await self._open()
            except DatabaseError as error:
                if error.kind != "damaged":
                    raise
                await self._begin_anew(error)
        except BaseException:
            self._release_lock()
            raise
        return self

    async def __aexit__(self, *about: object) -> None:
        try:
            await self._database.__aexit__(*about)
        finally:
            self._release_lock()

    async def write(self, operation: Operation[Result], *, durable: bool = True) -> Result:
        """Run `operation(connection)` as one transaction, on disk when this returns. Raises DatabaseError."""
        return await self._run(lambda database: database.write(operation, durable=durable))

    async def read(self, operation: Operation[Result]) -> Result:
        """Run `operation(connection)`, which only reads. Raises DatabaseError."""
        return await self._run(lambda database: database.read(operation))

    async def position(self) -> StorePosition:
        return await self.read(_position)

    async def begin_epoch(self) -> str:
        """Number the waiting events from 1 again, under a new epoch: the hub knows the old one from another store."""
        epoch = await self.write(_begin_epoch)
        self._epoch = epoch
        return epoch

    async def _run(self, act: Callable[[Database], Awaitable[Result]]) -> Result:
        database, failed = self._database, self._failed
        if failed is None:
            try:
                return await act(database)
            except DatabaseError as error:
                if error.kind != "damaged" and database is self._database:
                    raise
                failed = error
        async with self._replacing:
            if database is self._database:
                await self._begin_anew(failed)
            elif self._failed is not None:  # somebody else has tried to replace it meanwhile
                raise self._failed
        return await act(self._database)

    async def _open(self) -> None:
        try:
            await self._database.__aenter__()
            problems = await self._database.read(lambda db: db.execute("PRAGMA quick_check(1)").fetchall())
            if problems[0][0] != "ok":
                raise damaged(self.file.name, str(problems[0][0]))
            self._epoch = await self._database.write(_first_epoch)
            await self._database.read(_position)  # raises when numbers are missing
            await self._take_over()
        except BaseException as error:
            self._failed = error if isinstance(error, DatabaseError) else DatabaseError("the store is closed")
            with contextlib.suppress(DatabaseError):
                await self._database.__aexit__(None, None, None)
            raise
        self._failed = None

    async def _begin_anew(self, error: DatabaseError) -> None:
        """Put the damaged file aside and begin a new one. Raises DatabaseError; whoever comes next tries again then."""
        if self._failed is None:
            with contextlib.suppress(DatabaseError):
                await self._database.__aexit__(None, None, None)
            self._failed = error
        if error.kind == "damaged":
            _log.error("the device's store is damaged: a new one begins", reason=error.message)
            await asyncio.to_thread(self._put_aside)
        self._database = Database(self.file, MIGRATIONS)
        await self._open()

    async def _take_over(self) -> None:
        """Store what can be read of files that were put aside; a power cut in between loses nothing."""
        for file in await asyncio.to_thread(self._unread):
            rescued = await asyncio.to_thread(read_waiting, file)
            await self._database.write(lambda db, rescued=rescued: insert_rescued(db, rescued))  # type: ignore[misc]
            kept = file.with_name(file.name.replace(UNREAD, READ))
            await asyncio.to_thread(_rename, file, kept)
            counts = {"events": len(rescued.events), "commands": len(rescued.commands)}
            _log.error("what could be read of a damaged store waits in the new one", kept=str(kept), **counts)

    def _unread(self) -> list[Path]:
        if self.file == IN_MEMORY:
            return []
        return sorted(
            file
            for file in self.file.parent.glob(f"{self.file.name}{UNREAD}*")
            if not file.name.endswith(SIDE_FILES[1:])
        )

    def _put_aside(self) -> None:
        if self.file != IN_MEMORY:
            stamp = f"{time.strftime('%Y%m%d-%H%M%S')}-{uuid7()[-6:]}"
            _rename(self.file, self.file.with_name(f"{self.file.name}{UNREAD}{stamp}"))

    def _take_lock(self) -> None:
        if self._lock is None:
            return
        try:
            make_folder(self.file.parent)
            self._lock.acquire(timeout=0.3)
        except Timeout:
            raise AlreadyRunning(
                f"another process uses {self.file}", hint="stop it first: one device, one process"
            ) from None
        except OSError as error:
            raise _refused(self.file, error) from error

    def _release_lock(self) -> None:
        if self._lock is not None:
            self._lock.release()


def _refused(file: Path, error: OSError) -> DatabaseError:
    fault = classify(error, file)
    return DatabaseError(f"{file} can't be opened: {fault.cause}", fault=fault)


def _rename(file: Path, to: Path) -> None:
    """Rename a store, with what SQLite keeps beside it. Raises DatabaseError."""
    try:
        for suffix in reversed(SIDE_FILES):
            side = file.with_name(file.name + suffix)
            if side.exists():
                side.rename(to.with_name(to.name + suffix))
        sync_folder(file.parent)
    except OSError as error:
        raise DatabaseError(f"{file} is damaged and can't be put aside: {error}") from error


def _first_epoch(db: sqlite3.Connection) -> str:
    """The epoch, which a new store gets now."""
    db.execute("INSERT INTO numbering (only_row, epoch) VALUES (1, ?) ON CONFLICT DO NOTHING", (uuid7(),))
    epoch: str = db.execute("SELECT epoch FROM numbering").fetchone()[0]
    return epoch


def _position(db: sqlite3.Connection) -> StorePosition:
    with making_sense_of("the numbering"):
        row: Any = db.execute("SELECT epoch, down_epoch FROM numbering").fetchone()
        last = dict(db.execute("SELECT lane, next_seq - 1 FROM up_lane").fetchall())
        high = dict(db.execute("SELECT lane, high FROM down_lane").fetchall())
        down = DownHigh(epoch=row["down_epoch"], seq=high[USUAL], seq0=high[EMERGENCY])
        return StorePosition(row["epoch"], {lane: last[lane] for lane in (USUAL, EMERGENCY)}, down)


def _begin_epoch(db: sqlite3.Connection) -> str:
    epoch = uuid7()
    db.execute("UPDATE numbering SET epoch = ?", (epoch,))
    for lane in (USUAL, EMERGENCY):
        waiting = db.execute("SELECT seq FROM outbox WHERE lane = ? ORDER BY seq", (lane,)).fetchall()
        for number, row in enumerate(waiting, 1):  # upwards: a number below is free already
            db.execute("UPDATE outbox SET seq = ? WHERE lane = ? AND seq = ?", (number, lane, row["seq"]))
        db.execute("UPDATE up_lane SET next_seq = ?, acked = 0 WHERE lane = ?", (len(waiting) + 1, lane))
    return epoch
