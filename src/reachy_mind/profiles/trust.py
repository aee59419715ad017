"""`Trust`: whose Python may run: a profile in the data folder brings its own tools only after its user said so.

The record has the folder and the hash of every Python file in it. A file that changed, came or went takes a new trust;
so does the same profile in another place.
"""

from __future__ import annotations

import hashlib
import json
import time
from pathlib import Path
from typing import Any

from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.files import replaced

MOST_FILES = 200
LARGEST_BYTES = 4 << 20


class Trust:
    """The record in a file of the data folder, read anew for every question."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def refusal(self, name: str, folder: Path) -> str:
        """Why the Python in a profile's folder does not run; empty when it does."""
        hint = f"read its Python files, then: reachy-mind profile trust {name}"
        record = self._read().get(name)
        if not isinstance(record, dict):
            return f"its Python is not trusted ({hint})"
        try:
            now = hashes(folder)
        except MindError as error:
            return error.message
        if record.get("folder") != str(folder.resolve()):
            return f"another folder was trusted under this name ({hint})"
        before = record.get("files")
        if now != before:
            known = before if isinstance(before, dict) else {}
            changed = sorted(file for file in now.keys() | known.keys() if now.get(file) != known.get(file))
            return f"changed since it was trusted: {', '.join(changed[:5])} ({hint})"
        return ""

    def mark(self, name: str, folder: Path) -> dict[str, str]:
        """From now on its Python runs, as it is now. The files and their hashes. Raises InvalidParameter, Untrusted."""
        from reachy_mind.tools.guests.imports import require_own  # noqa: PLC0415 -- it brings much along

        files = hashes(folder)
        if not files:
            raise InvalidParameter(f"{name} has no Python files", hint=f"they would be in {folder}")
        require_own(folder.resolve())
        kept = self._read() | {name: {"folder": str(folder.resolve()), "files": files, "at": time.time()}}
        replaced(self._file, json.dumps(kept, indent=1))
        return files

    def forget(self, name: str) -> None:
        kept = self._read()
        if kept.pop(name, None) is not None:
            replaced(self._file, json.dumps(kept, indent=1))

    def _read(self) -> dict[str, Any]:
        try:
            read = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}  # nobody is trusted
        return read if isinstance(read, dict) else {}


def hashes(folder: Path) -> dict[str, str]:
    """sha256 of every Python file in a folder and below. Raises InvalidParameter for what can't be vouched for."""
    place = folder.resolve()
    found: dict[str, str] = {}
    for file in sorted(place.rglob("*")):
        if file.is_symlink() and (file.suffix == ".py" or file.is_dir()):
            raise InvalidParameter(f"{file.relative_to(place)} is a link", hint="put the file itself there")
        if file.suffix != ".py" or not file.is_file():
            continue
        if len(found) >= MOST_FILES or file.stat().st_size > LARGEST_BYTES:
            raise InvalidParameter(f"too much Python in {place}", hint=f"at most {MOST_FILES} files of 4 MiB")
        found[file.relative_to(place).as_posix()] = hashlib.sha256(file.read_bytes()).hexdigest()
    return found
