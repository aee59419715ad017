"""What is in a backup: `backup.json`, its first entry, `home/...`, and `contents.json`, its last, with a hash of each.

An archive without its last entry was cut off. The hashes find damage; they don't prove who made the archive.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from reachy_mind.errors import MindError

FORMAT = 1
HEADER, CONTENTS, HOME = "backup.json", "contents.json", "home"
LARGEST_LIST_BYTES = 256 << 20
LEFT_OUT = frozenset(("models", "run", "logs", "vendor-sdk", "replaced", ".restore"))
"""What is no part of a backup: what can be downloaded, what belongs to one run, and what a restore has set aside."""


class BadBackup(MindError):
    """A file is no backup of this program, is damaged or cut off, or was made by a newer version."""

    code = "BAD_BACKUP"


@dataclass(frozen=True)
class BackupHeader:
    """Who made an archive, and when. `schemas`: the version of each database in it, by its path in the data folder."""

    program: str
    made_at: str
    format: int = FORMAT
    schemas: dict[str, int] = field(default_factory=dict)

    def encoded(self) -> bytes:
        return json.dumps(asdict(self), indent=1).encode()

    def require_known(self, schemas: Mapping[str, int]) -> None:
        """Raises BadBackup for an archive that a newer version made. `schemas`: the newest that this program knows."""
        newer = self.format > FORMAT or any(
            version > schemas[file] for file, version in self.schemas.items() if file in schemas
        )
        if newer:
            raise BadBackup(
                f"the backup was made by a newer version of this program ({self.program})",
                hint="update Reachy Mind (pip install -U), then restore it; nothing was changed",
            )


@dataclass(frozen=True)
class SavedFile:
    """Size and SHA-256 of a file in an archive."""

    bytes: int
    sha256: str


_HEADER, _CONTENTS = TypeAdapter(BackupHeader), TypeAdapter(dict[str, SavedFile])


def read_header(data: bytes) -> BackupHeader:
    """Raises BadBackup."""
    try:
        given: Any = json.loads(data)
        if isinstance(given, dict) and isinstance(given.get("format"), int) and given["format"] > FORMAT:
            given = {"program": str(given.get("program", "unknown")), "made_at": "", "format": given["format"]}
        return _HEADER.validate_python(given)
    except (ValueError, ValidationError) as error:
        raise damaged(f"{HEADER} makes no sense") from error


def read_contents(data: bytes) -> dict[str, SavedFile]:
    """Raises BadBackup."""
    try:
        return _CONTENTS.validate_json(data)
    except ValidationError as error:
        raise damaged(f"{CONTENTS} makes no sense") from error


def encoded_contents(files: Mapping[str, SavedFile]) -> bytes:
    return json.dumps({name: asdict(each) for name, each in files.items()}, indent=0).encode()


def damaged(why: str) -> BadBackup:
    return BadBackup(f"the backup is damaged: {why}", hint="use another backup; nothing was changed")


def schema_version(file: Path) -> int:
    """The version of a database's schema. Raises sqlite3.Error."""
    with contextlib.closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as db:
        return int(db.execute("PRAGMA user_version").fetchone()[0])


def saved_paths(folder: Path) -> Iterator[Path]:
    """Everything in a data folder that belongs into a backup, folders before what is in them."""
    for path in sorted(folder.iterdir()):
        if path.name in LEFT_OUT:
            continue
        yield path
        if path.is_dir() and not path.is_symlink():
            yield from sorted(path.rglob("*"))
