"""What is on the disk after a power cut, and files that take the place of others."""

from __future__ import annotations

import importlib
import os
import time
from pathlib import Path
from typing import Final

from reachy_mind.system.open_files import FOLDER
from reachy_mind.system.portability import portable

_IN_USE: Final = (5, 32)
"""Errors of Windows for a file that another program has open: access denied, sharing violation."""
_IN_USE_S: Final = 2.0
_RETRY_S: Final = 0.02


def sync_file(descriptor: int) -> None:
    """Sync a file to the disk. Raises OSError."""
    try:
        control = importlib.import_module("fcntl")
    except ImportError:
        control = None
    full = getattr(control, "F_FULLFSYNC", None)  # macOS: fsync leaves it in the memory of the disk
    if control is None or full is None or portable():
        os.fsync(descriptor)
        return
    try:
        control.fcntl(descriptor, full)
    except OSError:  # a disk of the network, which knows only the other
        os.fsync(descriptor)


def sync_folder(folder: Path) -> None:
    """Sync the names in a folder to disk: a new or renamed file is lost in a power cut otherwise. Raises OSError.

    Where a folder can't be opened (Windows), the file system keeps the order of its names by itself.
    """
    if not FOLDER or portable():
        return
    handle = os.open(folder, os.O_RDONLY | FOLDER)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def replace(source: Path, target: Path) -> None:
    """Give `source` the name of `target`, in place of what is there. Raises OSError.

    Windows refuses while another program reads the old file: it is tried again for two seconds.
    """
    deadline = time.monotonic() + _IN_USE_S
    while True:
        try:
            source.replace(target)
        except PermissionError as error:
            if getattr(error, "winerror", None) not in _IN_USE or time.monotonic() > deadline:
                raise
            time.sleep(_RETRY_S)
        else:
            return
