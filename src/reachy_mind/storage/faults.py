"""`StorageFault`: why the disk or the database refused, and what to do about it without harm to healthy data.

A full disk, a read-only one, missing permission, a lock of another program and real damage each have their own kind,
message and hint. SQLite names the failed operation rather than its cause, so the data folder is looked at, too.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from reachy_mind.system.resource_limits import UNLIMITED, limit

Kind = Literal["full", "read-only", "permission", "locked", "damaged", "missing", "io", "other"]
SAFE = "what was saved before is intact"
PROBE_BYTES = 64 << 10
UNDECODABLE = "Could not decode to UTF-8"
QUOTA = getattr(errno, "EDQUOT", -1)
EFFECTIVE = os.access in os.supports_effective_ids
_ERRNO_KINDS: dict[int, Kind] = {
    errno.ENOSPC: "full",
    errno.EFBIG: "full",
    errno.EROFS: "read-only",
    errno.EACCES: "permission",
    errno.EPERM: "permission",
    errno.EBUSY: "locked",
    errno.EAGAIN: "locked",
    errno.EIO: "io",
    QUOTA: "full",
}
_SQLITE_KINDS: dict[int, Kind] = {
    sqlite3.SQLITE_FULL: "full",
    sqlite3.SQLITE_READONLY: "read-only",
    sqlite3.SQLITE_PERM: "permission",
    sqlite3.SQLITE_AUTH: "permission",
    sqlite3.SQLITE_CANTOPEN: "permission",
    sqlite3.SQLITE_BUSY: "locked",
    sqlite3.SQLITE_LOCKED: "locked",
    sqlite3.SQLITE_PROTOCOL: "locked",
    sqlite3.SQLITE_CORRUPT: "damaged",
    sqlite3.SQLITE_NOTADB: "damaged",
    sqlite3.SQLITE_IOERR: "io",
}
_AMBIGUOUS = frozenset(
    (
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_IOERR,
    )
)
"""Results of SQLite that have several causes."""


@dataclass(frozen=True)
class StorageFault:
    """The cause in words, and a hint that puts no data at risk."""

    kind: Kind
    cause: str
    hint: str


def classify(error: OSError | sqlite3.Error | UnicodeDecodeError, path: Path) -> StorageFault:
    """Why `error` happened to the file at `path`."""
    if isinstance(error, UnicodeDecodeError):  # raised for a message of SQLite with a damaged name in it
        return _describe("damaged", path, "a name in it can't be read")
    if isinstance(error, OSError):
        kind = _ERRNO_KINDS.get(error.errno or 0, "other")
        return _describe(kind, path, str(error.strerror or error), error.errno)
    return _classify_sqlite(error, path)


def probe(folder: Path) -> OSError | None:
    """Write a file into `folder` and remove it again. Returns the error, if there was one."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(PROBE_BYTES))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        return error
    return None


def _classify_sqlite(error: sqlite3.Error, path: Path) -> StorageFault:
    extended = getattr(error, "sqlite_errorcode", None)
    if extended is None:  # an error of Python's own module
        return _describe("damaged" if UNDECODABLE in str(error) else "other", path, str(error))
    code = extended & 0xFF
    kind = _SQLITE_KINDS.get(code, "other")
    if extended == sqlite3.SQLITE_READONLY_DBMOVED or (code in _AMBIGUOUS and not path.exists()):
        return _describe("missing", path, str(error))
    if code in _AMBIGUOUS:
        return _look_closer(error, kind, path)
    return _describe(kind, path, str(error))


def _look_closer(error: sqlite3.Error, kind: Kind, path: Path) -> StorageFault:
    """The cause, as far as the folder and the file show it."""
    if path.is_dir():
        return _describe("other", path, "it is a folder")
    for each in (path, *(path.with_name(path.name + suffix) for suffix in ("-wal", "-shm"))):
        if each.exists() and not os.access(each, os.R_OK | os.W_OK, effective_ids=EFFECTIVE):
            # `access` says no on a read-only disk, too.
            return _describe("read-only" if _is_read_only(path) else "permission", each, str(error))
    found = probe(path.parent)
    if found is not None and (seen := _ERRNO_KINDS.get(found.errno or 0)) is not None:
        return _describe(seen, path, str(error), found.errno)
    if kind == "io" and _is_at_size_limit(path):
        return _describe("full", path, str(error), errno.EFBIG)
    return _describe("io" if kind == "permission" else kind, path, str(error))


def _is_at_size_limit(path: Path) -> bool:
    """Whether the next page would be over the limit on the size of files (`ulimit -f`)."""
    most = limit("RLIMIT_FSIZE")
    if most is None or most == UNLIMITED:
        return False
    files = (path, path.with_name(f"{path.name}-wal"))
    return any(each.exists() and each.stat().st_size + PROBE_BYTES > most for each in files)


def _is_read_only(path: Path) -> bool:
    if not hasattr(os, "statvfs"):
        return False
    try:
        return bool(os.statvfs(path).f_flag & getattr(os, "ST_RDONLY", 0))
    except OSError:
        return False


def _describe(kind: Kind, path: Path, text: str, number: int | None = None) -> StorageFault:
    folder = path.parent
    match kind:
        case "full":
            limits = {QUOTA: "your disk quota is used up", errno.EFBIG: "the limit on the size of files is met"}
            cause = limits.get(number or 0, "the disk is full")
            hint = f"free some space on the disk of {folder}; {SAFE}"
        case "read-only":
            cause = "the disk is read-only"
            hint = f"make the disk of {folder} writable, or choose another folder with REACHY_MIND_HOME; {SAFE}"
        case "permission":
            cause = f"this user may not read and write {path.name}"
            hint = f"make {folder} and the files in it yours: chown and chmod u+rw; {SAFE}"
        case "locked":
            cause = "another program is using it"
            hint = f"wait, or close the other program that has {path.name} open; {SAFE}"
        case "damaged":
            cause = "the file is damaged"
            hint = "stop the mind, then run: reachy-mind repair (it saves what can be read and keeps the damaged file)"
        case "missing":
            cause = "the file is gone: it was moved or deleted"
            hint = f"put {path.name} back if you moved it, then start the mind again"
        case "io":
            cause = "the disk reports an error"
            hint = f"look at the system's log, and copy {folder} to another disk before anything else"
        case "other":
            cause, hint = "", "reachy-mind doctor checks the data folder and the database"
    return StorageFault(kind, f"{cause} ({text})" if cause else text, hint)
