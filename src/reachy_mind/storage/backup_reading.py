"""Reading a backup: `check_backup` compares every file with its hash, `unpack_backup` writes them into a folder, too.

Nothing in an archive is trusted: names lead nowhere else, only files and folders are taken, modes have no special bits.
"""

from __future__ import annotations

import hashlib
import os
import tarfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO

from reachy_mind.errors import InvalidParameter
from reachy_mind.storage.backup_contents import (
    CONTENTS,
    HEADER,
    HOME,
    LARGEST_LIST_BYTES,
    LEFT_OUT,
    BackupHeader,
    BadBackup,
    SavedFile,
    damaged,
    read_contents,
    read_header,
)
from reachy_mind.storage.database import DatabaseError
from reachy_mind.storage.faults import classify
from reachy_mind.storage.files import make_folder
from reachy_mind.system.durable_files import sync_file, sync_folder

CHUNK_BYTES = 1 << 20
CUT_OFF = "it ends too early"


@dataclass(frozen=True)
class CheckedBackup:
    """What an intact archive has."""

    header: BackupHeader
    files: Mapping[str, SavedFile]


def check_backup(file: Path, schemas: Mapping[str, int]) -> CheckedBackup:
    """Read all of an archive. `schemas`: the newest version that this program knows of each database.

    Raises BadBackup, InvalidParameter without a file, DatabaseError when it can't be read.
    """
    with _opened(file) as archive:
        return _read(archive, schemas, None)


def unpack_backup(file: Path, schemas: Mapping[str, int], folder: Path) -> CheckedBackup:
    """Write what is in an archive into a new folder, synced to the disk. Raises as `check_backup`.

    When it raises, the folder may have a part of it.
    """
    with _opened(file) as archive:
        try:
            make_folder(folder)
            found = _read(archive, schemas, folder)
            for path in sorted(folder.rglob("*")):
                if path.is_dir():
                    sync_folder(path)
            sync_folder(folder)
        except OSError as error:
            place = Path(error.filename) if isinstance(error.filename, str) else folder / "file"
            fault = classify(error, place)
            raise DatabaseError(
                f"the backup can't be written to {folder.parent}: {fault.cause}", fault=fault
            ) from error
    return found


@contextmanager
def _opened(file: Path) -> Iterator[tarfile.TarFile]:
    """The archive as a stream; what is wrong with it becomes BadBackup."""
    try:
        with file.open("rb") as opened, tarfile.open(fileobj=opened, mode="r|gz") as archive:
            yield archive
    except FileNotFoundError as error:
        raise InvalidParameter(f"there is no file {file}", hint="reachy-mind backup makes one") from error
    except (EOFError, tarfile.ReadError) as error:
        cut_off = isinstance(error, EOFError) or "unexpected end" in str(error)
        raise (
            damaged(CUT_OFF)
            if cut_off
            else BadBackup(
                f"{file} is no backup of this program, or it is damaged ({error})", hint="reachy-mind backup makes one"
            )
        ) from error
    except (zlib.error, tarfile.TarError, UnicodeDecodeError) as error:
        raise damaged(str(error)) from error
    except OSError as error:
        fault = classify(error, file)
        raise DatabaseError(f"{file} can't be read: {fault.cause}", fault=fault) from error


def _read(archive: tarfile.TarFile, schemas: Mapping[str, int], folder: Path | None) -> CheckedBackup:
    found: dict[str, SavedFile] = {}
    header: BackupHeader | None = None
    for member in archive:
        if header is None:
            if member.name != HEADER:
                raise BadBackup("the file is no backup of this program", hint="reachy-mind backup makes one")
            header = read_header(_text(archive, member))
            header.require_known(schemas)
        elif member.name == CONTENTS:
            _compare(found, read_contents(_text(archive, member)))
            return CheckedBackup(header, found)
        else:
            _take(archive, member, folder, found)
    raise damaged(CUT_OFF)


def _take(archive: tarfile.TarFile, member: tarfile.TarInfo, folder: Path | None, found: dict[str, SavedFile]) -> None:
    name = _checked_name(member)
    if member.isdir():
        if folder is not None:
            (folder / name).mkdir(exist_ok=True, parents=True)
            (folder / name).chmod(member.mode & 0o755 | 0o700)
        return
    if name in found:
        raise damaged(f"{name} is in it twice")
    source = archive.extractfile(member)
    assert source is not None  # it is a file
    if folder is None:
        found[name] = _copied(source, None)
        return
    place = folder / name
    place.parent.mkdir(exist_ok=True, parents=True, mode=0o700)
    with place.open("xb") as target:
        found[name] = _copied(source, target)
        place.chmod(member.mode & 0o755 | 0o600)
        target.flush()
        os.utime(place, (member.mtime, member.mtime))
        sync_file(target.fileno())


def _checked_name(member: tarfile.TarInfo) -> str:
    """The path in the data folder. Raises BadBackup for one that leads elsewhere, and for links and devices."""
    refused = BadBackup(
        f"the backup is refused: {member.name!r:.100} does not belong into a data folder",
        hint="this program has not made it; nothing was changed",
    )
    path = PurePosixPath(member.name)
    parts = path.parts[1:]
    if path.parts[:1] != (HOME,) or not parts or ".." in parts or "\0" in member.name or parts[0] in LEFT_OUT:
        raise refused
    if not (member.isreg() or member.isdir()) or len(Path(*parts).parts) != len(parts) or Path(*parts).is_absolute():
        raise refused
    return "/".join(parts)


def _copied(source: IO[bytes], target: BinaryIO | None) -> SavedFile:
    size, digest = 0, hashlib.sha256()
    while data := source.read(CHUNK_BYTES):
        digest.update(data)
        size += len(data)
        if target is not None:
            target.write(data)
    return SavedFile(size, digest.hexdigest())


def _text(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    source = archive.extractfile(member) if member.isreg() and member.size <= LARGEST_LIST_BYTES else None
    if source is None:
        raise damaged(f"{member.name} makes no sense")
    return source.read()


def _compare(found: Mapping[str, SavedFile], told: Mapping[str, SavedFile]) -> None:
    if missing := sorted(told.keys() - found.keys()):
        raise damaged(f"{missing[0]} is missing")
    for name, each in found.items():
        if told.get(name) != each:
            raise damaged(f"{name} is not what was saved")
