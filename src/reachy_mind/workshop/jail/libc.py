"""System calls that Python has no function for. Each raises `OSError` when the kernel refuses."""

from __future__ import annotations

import ctypes
import os
import platform
import struct

from .syscall_tables import NUMBERS

MACHINE = platform.machine()
"""The architecture, as `syscall_tables` names it; another one has no table, and so no sandbox."""

CLONE_NEWTIME, CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS = 0x80, 0x20000, 0x2000000, 0x4000000
CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x8000000, 0x10000000, 0x20000000, 0x40000000

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT = 1, 2, 4, 8, 32
MS_NOATIME, MS_NODIRATIME, MS_BIND, MS_REC, MS_PRIVATE, MS_RELATIME = 1024, 2048, 4096, 16384, 1 << 18, 1 << 21
MNT_DETACH = 2

AT_FDCWD, AT_EMPTY_PATH, AT_RECURSIVE, OPEN_TREE_CLONE, MOVE_MOUNT_FROM_EMPTY_PATH = -100, 0x1000, 0x8000, 1, 4
MOUNT_ATTR_RDONLY, MOUNT_ATTR_NOSUID, MOUNT_ATTR_NODEV, MOUNT_ATTR_IDMAP = 1, 2, 4, 0x100000

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS, PR_GET_NO_NEW_PRIVS = 1, 4, 24, 38, 39
PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 47, 4
PR_SET_SECUREBITS = 28

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long
_libc.mount.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_ulong, ctypes.c_char_p]
_libc.umount2.argtypes = [ctypes.c_char_p, ctypes.c_int]


def _checked(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def syscall(name: str, *arguments: int | ctypes.Array[ctypes.c_char] | bytes | None) -> int:
    """Make a system call by its name. Integers are passed as longs."""
    number = NUMBERS.get(MACHINE, {}).get(name)
    if number is None:
        raise OSError(38, f"{name}: this sandbox has no system call table for {MACHINE}")
    passed = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
    return _checked(_libc.syscall(ctypes.c_long(number), *passed), name)


def prctl(option: int, second: int = 0, third: int = 0, fourth: int = 0, fifth: int = 0) -> int:
    values = [ctypes.c_ulong(value) for value in (second, third, fourth, fifth)]
    return _checked(_libc.prctl(ctypes.c_int(option), *values), f"prctl {option}")


def unshare(flags: int) -> None:
    _checked(_libc.unshare(ctypes.c_int(flags)), "unshare")


def mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    result = _libc.mount(source.encode(), target.encode(), kind.encode(), flags, options.encode())
    _checked(result, f"mount {kind or source} on {target}")


def unmount(target: str) -> None:
    _checked(_libc.umount2(target.encode(), MNT_DETACH), f"unmount {target}")


def pivot_root(new: str, old: str) -> None:
    syscall("pivot_root", new.encode(), old.encode())


def protect(target: str, attributes: int) -> None:
    """Give a mount and all below it these attributes, without taking any away."""
    values = ctypes.create_string_buffer(struct.pack("=QQQQ", attributes, 0, 0, 0))
    syscall("mount_setattr", AT_FDCWD, target.encode(), AT_RECURSIVE, values, 32)


def bind_as(source: str, target: str, user_namespace: int) -> None:
    """Bind a folder read-only at another place, with owners as the user namespace maps them (Linux 5.12)."""
    tree = syscall("open_tree", AT_FDCWD, source.encode(), OPEN_TREE_CLONE | os.O_CLOEXEC)
    try:
        attributes = MOUNT_ATTR_IDMAP | MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV
        values = ctypes.create_string_buffer(struct.pack("=QQQQ", attributes, 0, 0, user_namespace))
        syscall("mount_setattr", tree, b"", AT_EMPTY_PATH, values, 32)
        syscall("move_mount", tree, b"", AT_FDCWD, target.encode(), MOVE_MOUNT_FROM_EMPTY_PATH)
    finally:
        os.close(tree)
