"""Opening files with the guards that the system has, and reading and writing at a position.

Windows has neither the guards nor these calls: its links need the rights of an administrator to be made.
"""

from __future__ import annotations

import os
from typing import Final

from reachy_mind.errors import NotReady
from reachy_mind.system.linux_only import HINT
from reachy_mind.system.portability import portable

NO_LINK: Final[int] = getattr(os, "O_NOFOLLOW", 0)
NO_WAIT: Final[int] = getattr(os, "O_NONBLOCK", 0)
"""Opening a pipe does not wait for its other end."""
FOLDER: Final[int] = getattr(os, "O_DIRECTORY", 0)
BYTES: Final[int] = getattr(os, "O_BINARY", 0)
"""Windows translates the ends of lines otherwise."""


def require_folder_descriptors(what: str) -> None:
    """Raises NotReady where no file can be opened below a folder that is open already. `what`: in the plural."""
    if os.open not in os.supports_dir_fd:
        raise NotReady(f"{what} need a POSIX system, whose folders can't be exchanged while they are open", hint=HINT)


def read_at(descriptor: int, size: int, offset: int) -> bytes:
    """At most `size` bytes from a position. The position of the descriptor is not defined afterwards."""
    if hasattr(os, "pread") and not portable():
        data: bytes = os.pread(descriptor, size, offset)
        return data
    os.lseek(descriptor, offset, os.SEEK_SET)
    return os.read(descriptor, size)


def write_at(descriptor: int, data: bytes, offset: int) -> int:
    """Write to a position, as `read_at` reads. Returns how many bytes were written."""
    if hasattr(os, "pwrite") and not portable():
        written: int = os.pwrite(descriptor, data, offset)
        return written
    os.lseek(descriptor, offset, os.SEEK_SET)
    return os.write(descriptor, data)
