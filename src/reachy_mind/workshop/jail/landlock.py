"""Landlock: the files that a process may use, enforced by the kernel for it and all it starts.

It does not cover reading of metadata, changes of mode, owner and times, sockets other than TCP, nor, before version 3,
`truncate`: the filter of `seccomp` closes those.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct

from . import libc

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR, REMOVE_DIR, REMOVE_FILE = 1, 2, 4, 8, 16, 32
MAKE_CHAR, MAKE_DIR, MAKE_REG, MAKE_SOCK, MAKE_FIFO, MAKE_BLOCK, MAKE_SYM = 64, 128, 256, 512, 1024, 2048, 4096
REFER, TRUNCATE, IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
READ = READ_FILE | READ_DIR
WRITE = READ | WRITE_FILE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | REFER | TRUNCATE
FILE_ONLY = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
NET_TCP = 3  # bind and connect
SCOPES = 3  # abstract sockets and signals
PATH_BENEATH = 1
GET_VERSION = 1
WITH_MOVES = 2
"""The first version in which a file can be moved to another folder."""


def version() -> int:
    """Return the version of the kernel's interface. Raises `OSError` where there is none."""
    return libc.syscall("landlock_create_ruleset", None, 0, GET_VERSION)


def handled(abi: int) -> int:
    """Return every kind of file access that this version can refuse."""
    bits = {1: 13, 2: 14, 3: 15, 4: 15}.get(abi, 16)
    return (1 << bits) - 1


def restrict(readable: list[int], writable: list[int]) -> int:
    """Allow reading below the first and writing below the second descriptors, nothing else. Return the version."""
    abi = version()
    files = handled(abi)
    allowed = [(descriptor, READ & files) for descriptor in readable]
    allowed += [(descriptor, WRITE & files) for descriptor in writable]
    _enforce(abi, allowed, NET_TCP)
    return abi


def restrict_programs(writable: list[str]) -> None:
    """Allow reading and running everywhere, and everything else but devices below these paths, and on TCP."""
    abi = version()
    files = handled(abi)
    opened = [os.open(path, os.O_PATH | os.O_CLOEXEC) for path in ("/", *writable)]
    try:
        own = files & ~(MAKE_CHAR | MAKE_BLOCK)
        _enforce(abi, [(opened[0], (READ | EXECUTE) & files), *((descriptor, own) for descriptor in opened[1:])], 0)
    finally:
        for descriptor in opened:
            os.close(descriptor)


def _enforce(abi: int, allowed: list[tuple[int, int]], tcp: int) -> None:
    fields = struct.pack("=QQQ", handled(abi), tcp if abi >= 4 else 0, SCOPES if abi >= 6 else 0)
    attributes = ctypes.create_string_buffer(fields[: 8 if abi < 4 else 16 if abi < 6 else 24])
    rules = libc.syscall("landlock_create_ruleset", attributes, len(attributes.raw) - 1, 0)
    try:
        for descriptor, access in allowed:
            _allow(rules, descriptor, access)
        libc.syscall("landlock_restrict_self", rules, 0)
    finally:
        os.close(rules)


def _allow(rules: int, descriptor: int, access: int) -> None:
    if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
        access &= FILE_ONLY
    rule = ctypes.create_string_buffer(struct.pack("=Qi", access, descriptor))
    libc.syscall("landlock_add_rule", rules, PATH_BENEATH, rule, 0)
