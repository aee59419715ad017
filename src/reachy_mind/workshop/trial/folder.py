"""The data folder of a trial: its own, in memory where that is possible, and gone after it."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import psutil

PREFIX = "reachy-mind-trial-"


def data_folder() -> str:
    """A new folder for a trial in this process; those of killed processes are removed. Blocks."""
    for folder in _parent().glob(f"{PREFIX}*"):
        pid = folder.name.removeprefix(PREFIX).partition("-")[0]
        if pid.isdigit() and not psutil.pid_exists(int(pid)):
            shutil.rmtree(folder, ignore_errors=True)
    return tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=_parent())


def remove_folders_of(pid: int) -> None:
    """Remove what a process that has ended left. Blocks."""
    for folder in _parent().glob(f"{PREFIX}{pid}-*"):
        shutil.rmtree(folder, ignore_errors=True)


def _parent() -> Path:
    memory = Path("/dev/shm")  # noqa: S108 -- where there is one: every write of the database is synced
    return memory if memory.is_dir() else Path(tempfile.gettempdir())
