"""A user id that nobody has, for the code that root runs. Two programs never get the same one at the same time."""

from __future__ import annotations

import contextlib
import os
import socket
from pathlib import Path
from types import TracebackType
from typing import Self

CANDIDATES = range(60710, 61180)
"""Neither Debian nor systemd gives these to anybody."""
NAME = "\0reachy-mind sandbox user {}"


class SpareUser:
    """A user id, held until `release`: by a socket name, which the kernel frees when this process ends."""

    def __init__(self, uid: int | None, claim: socket.socket | None) -> None:
        self.uid = uid
        self._claim = claim

    @classmethod
    def found(cls) -> Self:
        """Take a free user id. None where this process is not root, or no id is free."""
        if os.getuid() != 0:
            return cls(None, None)
        taken = _in_use()
        for uid in CANDIDATES:
            if uid in taken or not _mapped(uid) or _known(uid):
                continue
            claim = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                claim.bind(NAME.format(uid))
            except OSError:
                claim.close()
                continue
            return cls(uid, claim)
        return cls(None, None)

    def release(self) -> None:
        if self._claim is not None:
            self._claim.close()
            self._claim = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.release()


def _in_use() -> set[int]:
    """Return the users of all processes."""
    users = set()
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            with contextlib.suppress(OSError):  # it ended meanwhile
                users.add(entry.stat().st_uid)
    return users


def _mapped(uid: int) -> bool:
    """Whether this id exists in the user namespace of this process."""
    for line in Path("/proc/self/uid_map").read_text().splitlines():
        first, _, count = (int(value) for value in line.split())
        if first <= uid < first + count:
            return True
    return False


def _known(uid: int) -> bool:
    import grp  # noqa: PLC0415 -- not on Windows, where the rest of the program imports this module too
    import pwd  # noqa: PLC0415

    for lookup in (pwd.getpwuid, grp.getgrgid):
        with contextlib.suppress(KeyError):
            lookup(uid)
            return True
    return False
