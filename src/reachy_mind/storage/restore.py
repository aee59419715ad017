"""`restore`: a data folder as it was when a backup was made. What was there is set aside, never deleted."""

from __future__ import annotations

import contextlib
import itertools
import os
import sqlite3
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from reachy_mind.errors import AlreadyRunning, InvalidParameter
from reachy_mind.storage.backup import DATABASE
from reachy_mind.storage.backup_reading import CheckedBackup, unpack_backup
from reachy_mind.storage.home import Home
from reachy_mind.storage.home_replacement import own_names, put_in_place, settle, unpacked_folder, work_folder
from reachy_mind.storage.owner import Ownership


@dataclass(frozen=True)
class Restored:
    """What was restored. `replaced`: where the old content is; empty when there was none."""

    folder: str
    files: int
    bytes: int
    program: str
    made_at: str
    replaced: str

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def restore(home: Home, file: Path, schemas: Mapping[str, int], *, over: bool = False) -> Restored:
    """Restore an archive into a data folder that no program uses. `over`: also into one that has content.

    Nothing is changed before all of the archive was read and compared with its hashes, and is on the disk. Raises
    BadBackup, InvalidParameter, AlreadyRunning, DatabaseError, ConfigError.
    """
    file = file.expanduser().absolute()
    if not file.is_file():
        raise InvalidParameter(f"there is no file {file}", hint="reachy-mind backup makes one")
    with Ownership(home):
        folder = home.folder
        settle(folder)
        if own_names(folder) and not over:
            raise InvalidParameter(
                f"the data folder {folder} has content",
                hint="--yes replaces it (the old content is set aside), or choose another with REACHY_MIND_HOME",
            )
        require_unused(folder)
        try:
            found = unpack_backup(file, schemas, unpacked_folder(folder))
            require_unused(folder)
            replaced = put_in_place(folder, _unused_name(folder))
        except BaseException:
            with contextlib.suppress(Exception):  # the first error is the one to tell
                settle(folder)
            raise
    return _restored(folder, found, replaced)


def _unused_name(folder: Path) -> str:
    stamp = time.strftime("%Y%m%d-%H%M%S")
    names = (f"{stamp}{f'-{number}' if number else ''}" for number in itertools.count())
    return next(name for name in names if not (folder / "replaced" / name).exists())


def _restored(folder: Path, found: CheckedBackup, replaced: Path | None) -> Restored:
    size = sum(each.bytes for each in found.files.values())
    header = found.header
    return Restored(str(folder), len(found.files), size, header.program, header.made_at, str(replaced or ""))


def require_unused(folder: Path) -> None:
    """Raises AlreadyRunning while a control plane, a device agent or a command of ours uses the folder, and
    InvalidParameter when a part of it can't be set aside."""
    for name in own_names(folder):
        if os.path.ismount(folder / name):
            raise InvalidParameter(
                f"{folder / name} is the root of a disk, which can't be set aside",
                hint="unmount it, restore, copy it back",
            )
    hint = "stop it first: the control plane, the device agent, other commands"
    for file in folder.glob("fleet/**/*.lock"):
        try:
            with FileLock(file, timeout=0):
                pass
        except Timeout:
            raise AlreadyRunning(f"another program uses {file.parent}", hint=hint) from None
    for file in (*folder.glob(f"*{DATABASE}"), *folder.glob(f"fleet/**/*{DATABASE}")):
        if work_folder(folder) not in file.parents and _is_open_elsewhere(file):
            raise AlreadyRunning(f"another program uses {file}", hint=hint)


def _is_open_elsewhere(file: Path) -> bool:
    """Whether somebody has the database open: only the last one may end its write-ahead log."""
    try:
        with contextlib.closing(sqlite3.connect(file, timeout=0.3)) as db:
            db.execute("PRAGMA journal_mode=DELETE")
    except sqlite3.Error as error:
        return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
    return False
