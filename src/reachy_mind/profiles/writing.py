"""How files of the data folder are written: all of a text or nothing of it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from reachy_mind.errors import MindError


def write(file: Path, text: str, *, private: bool = False) -> None:
    """Put a text in the place of a file. `private`: only the user may read it. Raises MindError."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as opened:
                opened.write(text)
                opened.flush()
                os.fsync(opened.fileno())
            if not private:
                Path(name).chmod(0o644)
            Path(name).replace(file)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise MindError(
            f"{file} can't be written: {error.strerror or error}", hint="is there room, and may you?"
        ) from error
