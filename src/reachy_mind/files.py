"""Small files of ours, written whole or not at all."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from reachy_mind.errors import ConfigError


def owned(path: Path, most: int = 1 << 20) -> tuple[str, int]:
    """The text of a file that its owner writes by hand, and its mode; empty when there is none. Raises ConfigError."""
    try:
        about = path.stat()
        if about.st_size > most:
            raise ConfigError(f"{path} is larger than {most >> 20} MiB", hint="is it the right file?")
        return path.read_text(encoding="utf-8"), stat.S_IMODE(about.st_mode)
    except FileNotFoundError:
        return "", 0o600
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} can't be read: {error}") from error


def written(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Put this in the place of a file: whoever reads it meanwhile, or after a crash, finds the old or the new one.

    A link is replaced, not written through. Raises OSError.
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


def replaced(path: Path, text: str, *, mode: int = 0o600) -> None:
    """The same with a text. Raises ConfigError with what to do when it can't be written."""
    try:
        written(path, text.encode(), mode=mode)
    except OSError as error:
        raise ConfigError(
            f"{path} can't be written: {error.strerror or error}", hint="is the folder yours, and the disk not full?"
        ) from error
