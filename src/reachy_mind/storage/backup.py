"""`back_up`: one archive with everything in the data folder that can't be downloaded again, also while a mind runs."""

from __future__ import annotations

import os
import stat
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from reachy_mind.errors import InvalidParameter
from reachy_mind.storage.database import DatabaseError
from reachy_mind.storage.faults import classify
from reachy_mind.storage.files import make_folder
from reachy_mind.storage.home import Home
from reachy_mind.storage.snapshot import copy_consistently
from reachy_mind.system.durable_files import replace, sync_folder

LEFT_OUT = frozenset(("models", "run", "logs"))
"""Folders that are no part of a backup: what can be downloaded, and what belongs to one run."""
COMPRESSION = 3


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
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    except OSError as error:
        raise _failure(error, target) from error
    partial = Path(name)
    try:
        with os.fdopen(handle, "wb") as file, tempfile.TemporaryDirectory(dir=target.parent) as scratch:
            count, left_out = _write(home, file, Path(scratch) / "mind.db")
            file.flush()
            os.fsync(file.fileno())
        replace(partial, target)
        sync_folder(target.parent)
    except OSError as error:
        raise _failure(error, target) from error
    finally:
        partial.unlink(missing_ok=True)
    return Backup(str(target), target.stat().st_size, count, left_out)


def _failure(error: OSError, target: Path) -> DatabaseError:
    place = Path(error.filename) if isinstance(error.filename, str) else target
    fault = classify(error, place)
    return DatabaseError(f"the backup failed at {place}: {fault.cause}", fault=fault)


def _write(home: Home, file: Any, copy: Path) -> tuple[int, tuple[str, ...]]:
    count, left_out = 0, sorted(name for name in LEFT_OUT if (home.folder / name).exists())
    with tarfile.open(fileobj=file, mode="w:gz", compresslevel=COMPRESSION) as archive:
        if home.database_file.exists():
            copy_consistently(home.database_file, copy)
            copy.chmod(0o600)
            archive.add(copy, home.database_file.name)
            count += 1
        for path in _paths(home):
            try:
                if stat.S_ISREG(path.lstat().st_mode) or path.is_symlink() or path.is_dir():
                    archive.add(path, str(path.relative_to(home.folder)), recursive=False)
                    count += path.is_file()
                else:
                    left_out.append(str(path.relative_to(home.folder)))
            except FileNotFoundError:
                continue  # it was deleted just now
    return count, tuple(left_out)


def _paths(home: Home) -> Iterator[Path]:
    """All files and folders, but the database (also damaged copies of it) and what is left out."""
    for path in sorted(home.folder.iterdir()):
        if path.name.startswith((home.database_file.name, f".{home.database_file.name}")) or path.name in LEFT_OUT:
            continue
        yield path
        if path.is_dir() and not path.is_symlink():
            yield from sorted(path.rglob("*"))
