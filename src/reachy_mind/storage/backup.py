"""`back_up`: one archive with everything in the data folder that can't be downloaded again, also while a mind runs."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import shutil
import stat
import tarfile
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

from filelock import FileLock, Timeout

from reachy_mind import __version__
from reachy_mind.errors import InvalidParameter
from reachy_mind.storage.backup_contents import (
    CONTENTS,
    HEADER,
    HOME,
    LEFT_OUT,
    BackupHeader,
    SavedFile,
    encoded_contents,
    saved_paths,
    schema_version,
)
from reachy_mind.storage.database import DatabaseError
from reachy_mind.storage.faults import classify
from reachy_mind.storage.files import make_folder
from reachy_mind.storage.home import Home
from reachy_mind.storage.snapshot import copy_consistently
from reachy_mind.system.durable_files import replace, sync_file, sync_folder

COMPRESSION = 3
DATABASE = ".db"
BESIDE_DATABASE = (".db-wal", ".db-shm", ".db-journal")
DAMAGED = (".db.damaged-", ".db.repaired")
"""In the names of what a repair has kept, or was about to write."""
WORK = ".reachy-mind-backup-"
"""Beside the archive while it is written; one that a killed backup left is removed by the next."""


@dataclass(frozen=True)
class Backup:
    """A finished backup."""

    file: str
    bytes: int
    files: int
    left_out: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def back_up(home: Home, target: Path, *, overwrite: bool = False) -> Backup:
    """Write the archive. Raises InvalidParameter, and DatabaseError when something can't be read or written."""
    target = target.expanduser().absolute()
    if not home.folder.is_dir():
        raise InvalidParameter(f"there is no data folder {home.folder}", hint="REACHY_MIND_HOME names another one")
    if target.is_relative_to(home.folder):
        raise InvalidParameter("a backup does not belong into the data folder", hint="choose a file outside of it")
    if target.is_dir() or (target.exists() and not overwrite):
        raise InvalidParameter(f"there is {target} already", hint="choose another file, or --overwrite")
    try:
        make_folder(target.parent)
        with _work_folder(target.parent) as work:
            partial = work / "archive"
            with partial.open("xb") as file:
                partial.chmod(0o600)
                writer = _Writer(home, work, file)
                writer.write()
                file.flush()
                sync_file(file.fileno())
            replace(partial, target)
            sync_folder(target.parent)
    except OSError as error:
        raise _failure(error, target) from error
    return Backup(str(target), target.stat().st_size, len(writer.files), tuple(writer.left_out))


def _failure(error: OSError, target: Path) -> DatabaseError:
    place = Path(error.filename) if isinstance(error.filename, str) else target
    fault = classify(error, place)
    return DatabaseError(f"the backup failed at {place}: {fault.cause}", fault=fault)


@contextlib.contextmanager
def _work_folder(parent: Path) -> Iterator[Path]:
    """A folder of this user alone, which holds a lock: one that nobody holds was left by a killed backup, and goes."""
    for left in (lock.parent for lock in parent.glob(f"{WORK}*/lock")):
        with contextlib.suppress(OSError, Timeout), FileLock(left / "lock", timeout=0):
            shutil.rmtree(left)
    work = Path(tempfile.mkdtemp(prefix=WORK, dir=parent))
    try:
        with FileLock(work / "lock", mode=0o600):
            yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)


class _Writer:
    """Writes one archive. The audit's anchor is read before the database: it must not know more than that."""

    def __init__(self, home: Home, work: Path, file: BinaryIO) -> None:
        self._home, self._work, self._file = home, work, file
        self.files: dict[str, SavedFile] = {}
        self.left_out = sorted(name for name in LEFT_OUT if (home.folder / name).exists())

    def write(self) -> None:
        anchor = self._home.folder / "audit-anchor.json"
        anchored = anchor.read_bytes() if anchor.is_file() else None
        paths = list(saved_paths(self._home.folder))
        copies = {path: self._copy(path, number) for number, path in enumerate(paths) if _is_database(path)}
        made_at = datetime.now(UTC).isoformat(timespec="seconds")
        schemas = {self._name(path): schema_version(copy) for path, copy in copies.items()}
        with tarfile.open(fileobj=self._file, mode="w:gz", compresslevel=COMPRESSION) as archive:
            _add_text(archive, HEADER, BackupHeader(__version__, made_at, schemas=schemas).encoded())
            for path in paths:
                if path == anchor:
                    if anchored is not None:
                        self._add(archive, path, io.BytesIO(anchored), len(anchored), path.lstat())
                else:
                    with contextlib.suppress(FileNotFoundError):  # it was deleted just now
                        self._save(archive, path, copies.get(path))
            _add_text(archive, CONTENTS, encoded_contents(self.files))

    def _copy(self, path: Path, number: int) -> Path:
        copy = self._work / f"{number}{DATABASE}"
        copy_consistently(path, copy)
        return copy

    def _save(self, archive: tarfile.TarFile, path: Path, copy: Path | None) -> None:
        about = path.lstat()
        if any(part in path.name for part in DAMAGED):
            self.left_out.append(self._name(path))
        elif stat.S_ISDIR(about.st_mode):
            info = tarfile.TarInfo(f"{HOME}/{self._name(path)}")
            info.type, info.mode, info.mtime = tarfile.DIRTYPE, stat.S_IMODE(about.st_mode), int(about.st_mtime)
            archive.addfile(info)
        elif stat.S_ISREG(about.st_mode):
            if path.name.endswith((*BESIDE_DATABASE, ".lock")):
                return
            with (copy or path).open("rb") as file:
                self._add(archive, path, file, os.fstat(file.fileno()).st_size, about)
        elif not stat.S_ISSOCK(about.st_mode):
            self.left_out.append(f"{self._name(path)} ({_kind(path)})")

    def _add(self, archive: tarfile.TarFile, path: Path, file: BinaryIO, size: int, about: os.stat_result) -> None:
        info = tarfile.TarInfo(f"{HOME}/{self._name(path)}")
        info.size, info.mode, info.mtime = size, stat.S_IMODE(about.st_mode), int(about.st_mtime)
        hashing = _Hashing(file, path)
        archive.addfile(info, hashing)
        self.files[self._name(path)] = SavedFile(size, hashing.digest())

    def _name(self, path: Path) -> str:
        return path.relative_to(self._home.folder).as_posix()


def _is_database(path: Path) -> bool:
    return path.name.endswith(DATABASE) and path.is_file() and not path.is_symlink()


def _kind(path: Path) -> str:
    return f"a link to {path.readlink()}" if path.is_symlink() else "not a file"


def _add_text(archive: tarfile.TarFile, name: str, text: bytes) -> None:
    info = tarfile.TarInfo(name)
    info.size, info.mode, info.mtime = len(text), 0o600, int(time.time())
    archive.addfile(info, io.BytesIO(text))


class _Hashing:
    """Hashes what is read from a file. Raises OSError when there is less than was asked for."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self._file, self._path, self._hash = file, path, hashlib.sha256()

    def read(self, size: int = -1, /) -> bytes:
        data = self._file.read(size)
        if len(data) < size:
            raise OSError(None, "it became shorter while it was read; try again", str(self._path))
        self._hash.update(data)
        return data

    def digest(self) -> str:
        return self._hash.hexdigest()
