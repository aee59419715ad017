"""`CodeTrust`: which profiles may run Python: a user's profile brings its own tools only after the user trusts it.

The record has the folder and the sha256 of every Python file in it. A file changed, added or removed, or another
folder, needs a new confirmation of trust.
"""

from __future__ import annotations

import hashlib
import json
import time
from pathlib import Path
from typing import Any

from reachy_mind.errors import ConfigError, InvalidParameter, MindError
from reachy_mind.storage.files import read_user_file, write_text_atomically

MOST_FILES = 200
LARGEST_BYTES = 4 << 20


class CodeTrust:
    """The records are in a file of the data folder, read again for every check."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def refusal(self, name: str, folder: Path) -> str:
        """Why the Python in a profile's folder may not run; empty when it may."""
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
        """Trust the Python files as they are now; returns their hashes. Raises InvalidParameter, Untrusted."""
        from reachy_mind.tools.conversation_app.imports import require_private  # noqa: PLC0415 -- it brings much along

        files = hashes(folder)
        if not files:
            raise InvalidParameter(f"{name} has no Python files", hint=f"they would be in {folder}")
        require_private(folder.resolve())
        records = self._read() | {name: {"folder": str(folder.resolve()), "files": files, "at": time.time()}}
        write_text_atomically(self._file, json.dumps(records, indent=1))
        return files

    def forget(self, name: str) -> None:
        records = self._read()
        if records.pop(name, None) is not None:
            write_text_atomically(self._file, json.dumps(records, indent=1))

    def _read(self) -> dict[str, Any]:
        try:
            read = json.loads(read_user_file(self._file)[0])
        except (ConfigError, ValueError, RecursionError):
            return {}  # nothing is trusted
        return read if isinstance(read, dict) else {}


def hashes(folder: Path) -> dict[str, str]:
    """sha256 of every Python file in a folder and below. Raises InvalidParameter for links and for too much code."""
    root = folder.resolve()
    found: dict[str, str] = {}
    for file in sorted(root.rglob("*")):
        if file.is_symlink() and (file.suffix == ".py" or file.is_dir()):
            raise InvalidParameter(f"{file.relative_to(root)} is a link", hint="put the file itself there")
        if file.suffix != ".py" or not file.is_file():
            continue
        if len(found) >= MOST_FILES or file.stat().st_size > LARGEST_BYTES:
            raise InvalidParameter(f"too much Python in {root}", hint=f"at most {MOST_FILES} files of 4 MiB")
        found[file.relative_to(root).as_posix()] = hashlib.sha256(file.read_bytes()).hexdigest()
    return found
