"""`replaced`: a small file of ours, written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from reachy_mind.errors import ConfigError


def replaced(path: Path, text: str, *, mode: int = 0o600) -> None:
    """Put `text` in the place of a file: whoever reads it meanwhile, or after a crash, finds the old or the new one.

    A link is followed, so that it stays one. Raises ConfigError when it can't be written.
    """
    try:
        path = path.resolve()
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        partial = Path(name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            partial.chmod(mode)
            partial.replace(path)
        except BaseException:
            partial.unlink(missing_ok=True)
            raise
    except OSError as error:
        hint = "is the folder yours, and the disk not full?"
        raise ConfigError(f"{path} can't be written: {error}", hint=hint) from error
