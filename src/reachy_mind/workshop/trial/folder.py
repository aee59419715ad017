"""`data_folder`: a new folder for the data of one trial."""

from __future__ import annotations

import tempfile
from pathlib import Path

PREFIX = "reachy-mind-trial-"


def data_folder() -> str:
    """In memory where that can be: every write of the database is synced. Whoever asks for it removes it."""
    memory = Path("/dev/shm")  # noqa: S108
    return tempfile.mkdtemp(prefix=PREFIX, dir=memory if memory.is_dir() else None)
