"""Atomic writes of small files: a reader, or a crash, finds the old content or the new, never half of it."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from reachy_mind.errors import ConfigError
from reachy_mind.storage.faults import classify


def read_user_file(path: Path, max_bytes: int = 1 << 20) -> tuple[str, int]:
    """The text and mode of a file that the user edits by hand; ("", 0o600) without one. Raises ConfigError."""
    try:
        about = path.stat()
        if about.st_size > max_bytes:
            raise ConfigError(f"{path} is larger than {max_bytes >> 20} MiB", hint="is it the right file?")
        return path.read_text(encoding="utf-8"), stat.S_IMODE(about.st_mode)
    except FileNotFoundError:
        return "", 0o600
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} can't be read: {error}") from error


def make_folder(folder: Path) -> None:
    """Create a folder for the user alone, with its parents, so that it is still there after a power cut.

    Raises OSError.
    """
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for created in reversed(missing):
        created.mkdir(exist_ok=True, mode=0o700)  # `parents=True` would make the upper ones readable by all
        sync_folder(created.parent)
    folder.mkdir(exist_ok=True)  # raises when it is a file


def sync_folder(folder: Path) -> None:
    """Sync the names in a folder to disk: a new or renamed file is lost in a power cut otherwise. Raises OSError."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_atomically(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Write a temporary file, sync it to disk and rename it to `path`. Creates missing folders.

    Replaces a symbolic link, does not write through it. Raises OSError.
    """
    make_folder(path.parent)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    partial = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        partial.chmod(mode)
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def write_text_atomically(path: Path, text: str, *, mode: int = 0o600) -> None:
    """`write_atomically` for text. Raises ConfigError with a hint when the file can't be written."""
    try:
        write_atomically(path, text.encode(), mode=mode)
    except OSError as error:
        fault = classify(error, path)
        raise ConfigError(f"{path} can't be written: {fault.cause}", hint=fault.hint) from error
