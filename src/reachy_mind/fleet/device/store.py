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
from reachy_mind.fleet.device.rescue import Rescued, insert_rescued, read_waiting
from reachy_mind.fleet.protocol.frame import EMERGENCY, USUAL, Lane
from reachy_mind.fleet.protocol.handshake import DownHigh
from reachy_mind.fleet.protocol.message_ids import uuid7
from reachy_mind.storage.database import IN_MEMORY, Database, DatabaseError, Operation
from reachy_mind.storage.faults import StorageFault, classify
from reachy_mind.storage.files import make_folder, sync_folder

MIGRATIONS = "reachy_mind.fleet.device"
SIDE_FILES = ("", "-wal", "-shm")

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
        database = self._database
        try:
            return await act(database)
        except DatabaseError as error:
            if error.kind != "damaged" and database is self._database:
                raise
            async with self._replacing:
                if database is self._database:  # else somebody else has replaced it meanwhile
                    await self._begin_anew(error)
            return await act(self._database)

    async def _open(self) -> None:
        try:
            await self._database.__aenter__()
            problems = await self._database.read(lambda db: db.execute("PRAGMA quick_check(1)").fetchall())
            if problems[0][0] != "ok":
                raise _damaged(self.file, str(problems[0][0]))
            self._epoch = await self._database.write(_first_epoch)
        except BaseException:
            with contextlib.suppress(DatabaseError):
                await self._database.__aexit__(None, None, None)
            raise

    async def _begin_anew(self, error: DatabaseError) -> None:
        """Put the damaged file aside and begin a new one. Raises DatabaseError."""
        with contextlib.suppress(DatabaseError):
            await self._database.__aexit__(None, None, None)
        kept = await asyncio.to_thread(self._put_aside)
        rescued = await asyncio.to_thread(read_waiting, kept) if kept is not None else Rescued()
        _log.error(
            "the device's store was damaged: a new one begins; what could be read of its waiting events is kept",
            reason=error.message,
            kept=str(kept),
            events=len(rescued.events),
            commands=len(rescued.commands),
        )
        self._database = Database(self.file, MIGRATIONS)
        await self._open()
        await self._database.write(lambda db: insert_rescued(db, rescued))

    def _put_aside(self) -> Path | None:
        """Rename the file, with what SQLite keeps beside it. Raises DatabaseError."""
        if self.file == IN_MEMORY:
            return None
        kept = self.file.with_name(f"{self.file.name}.damaged-{time.strftime('%Y%m%d-%H%M%S')}-{uuid7()[-6:]}")
        try:
            for suffix in SIDE_FILES:
                side = self.file.with_name(self.file.name + suffix)
                if side.exists():
                    side.rename(kept.with_name(kept.name + suffix))
            sync_folder(self.file.parent)
        except OSError as error:
            raise DatabaseError(f"{self.file} is damaged and can't be put aside: {error}") from error
        return kept

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


def _damaged(file: Path, problem: str) -> DatabaseError:
    return DatabaseError(f"{file.name}: {problem}", fault=StorageFault("damaged", problem, "it is put aside"))


def _first_epoch(db: sqlite3.Connection) -> str:
    """The epoch, which a new store gets now."""
    db.execute("INSERT INTO numbering (only_row, epoch) VALUES (1, ?) ON CONFLICT DO NOTHING", (uuid7(),))
    epoch: str = db.execute("SELECT epoch FROM numbering").fetchone()[0]
    return epoch


def _position(db: sqlite3.Connection) -> StorePosition:
    row: Any = db.execute("SELECT epoch, down_epoch FROM numbering").fetchone()
    last = dict(db.execute("SELECT lane, next_seq - 1 FROM up_lane").fetchall())
    high = dict(db.execute("SELECT lane, high FROM down_lane").fetchall())
    return StorePosition(row["epoch"], last, DownHigh(epoch=row["down_epoch"], seq=high[USUAL], seq0=high[EMERGENCY]))


def _begin_epoch(db: sqlite3.Connection) -> str:
    epoch = uuid7()
    db.execute("UPDATE numbering SET epoch = ?", (epoch,))
    for lane in (USUAL, EMERGENCY):
        waiting = db.execute("SELECT seq FROM outbox WHERE lane = ? ORDER BY seq", (lane,)).fetchall()
        for number, row in enumerate(waiting, 1):  # upwards: a number below is free already
            db.execute("UPDATE outbox SET seq = ? WHERE lane = ? AND seq = ?", (number, lane, row["seq"]))
        db.execute("UPDATE up_lane SET next_seq = ?, acked = 0 WHERE lane = ?", (len(waiting) + 1, lane))
    return epoch
