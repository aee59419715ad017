"""Atomic writes of small files: a reader, or a crash, finds the old content or the new, never half of it."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from reachy_mind.errors import ConfigError


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


def write_atomically(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Write a temporary file, sync it to disk and rename it to `path`. Creates missing folders.

    Replaces a symbolic link, does not write through it. Raises OSError.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
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


def write_text_atomically(path: Path, text: str, *, mode: int = 0o600) -> None:
    """`write_atomically` for text. Raises ConfigError with a hint when the file can't be written."""
    try:
        write_atomically(path, text.encode(), mode=mode)
    except OSError as error:
        raise ConfigError(
            f"{path} can't be written: {error.strerror or error}", hint="is the folder yours, and the disk not full?"
        ) from error
