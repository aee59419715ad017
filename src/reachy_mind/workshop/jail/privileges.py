"""Giving up privileges for good: another user, no capabilities, nothing to be gained by running a program."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import struct

from . import libc

CAPABILITY_VERSION_3 = 0x20080522
LAST_CAPABILITY = 63


def become(uid: int) -> None:
    """Become a user and group without any other groups, who can never be given a capability."""
    _drop_bounding_set()
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    libc.prctl(libc.PR_SET_DUMPABLE, 1)  # a change of user clears it, and the files of /proc/self belong to root then


def no_new_privileges() -> None:
    libc.prctl(libc.PR_SET_NO_NEW_PRIVS, 1)


def drop_capabilities() -> None:
    """Empty every capability set, the bounding set as far as this process may."""
    _drop_bounding_set()
    with contextlib.suppress(OSError):
        libc.prctl(libc.PR_CAP_AMBIENT, libc.PR_CAP_AMBIENT_CLEAR_ALL)
    header = ctypes.create_string_buffer(struct.pack("=Ii", CAPABILITY_VERSION_3, 0))
    empty = ctypes.create_string_buffer(24)
    libc.syscall("capset", header, empty)


def _drop_bounding_set() -> None:
    for capability in range(LAST_CAPABILITY + 1):
        with contextlib.suppress(OSError):  # beyond the kernel's last one, or no right to do this any more
            libc.prctl(libc.PR_CAPBSET_DROP, capability)


def die_with_parent(parent: int) -> None:
    """Be killed when the parent ends. `parent` is its process id as seen here, 0 where it can't be seen."""
    libc.prctl(libc.PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)  # it ended before the line above
