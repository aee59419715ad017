"""Tries every layer of isolation in children of its own and prints what the kernel said, as JSON."""

from __future__ import annotations

import errno
import json
import os
import signal
import socket
import sys
from collections.abc import Callable
from typing import Any

from . import landlock, libc, namespaces, privileges, rlimits, seccomp
from .syscall_tables import NUMBERS

TIME_LIMIT_S = 10
SAMPLE = {"address_space": 2**40, "memory_mb": 64, "cpu_s": 60, "file_mb": 1, "processes": 4096}


class LayerFailed(Exception):
    """A layer is there and does not hold."""


def main() -> None:
    """The program: its argument is the spare user, 0 for none."""
    spare = int(sys.argv[1]) or None
    checks: dict[str, Callable[[], None]] = {
        "user": lambda: _user(spare),
        "rlimits": lambda: rlimits.apply(SAMPLE),
        "seccomp": _seccomp,
        "landlock": _landlock,
        "namespaces": lambda: _namespaces(spare),
    }
    found: dict[str, Any] = {name: _tried(check) for name, check in checks.items()}
    found["landlock_version"] = 0 if found["landlock"] else landlock.version()
    sys.stdout.write(json.dumps(found))
    sys.stdout.flush()


def _tried(check: Callable[[], None]) -> str:
    """Run a check in a child. Return why it failed, or an empty text."""
    receiving, sending = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(receiving)
        signal.alarm(TIME_LIMIT_S)
        _report(check, sending)
    os.close(sending)
    with os.fdopen(receiving, "rb") as pipe:
        answer = pipe.read().decode()
    os.waitpid(child, 0)
    return "" if answer == "ok" else answer or "the check did not end"


def _report(check: Callable[[], None], pipe: int) -> None:
    try:
        check()
        os.write(pipe, b"ok")
    except (OSError, ValueError, LayerFailed) as error:
        os.write(pipe, (str(error) or type(error).__name__).encode())
    finally:
        os._exit(0)


def _user(spare: int | None) -> None:
    if os.getuid() == 0:
        if spare is None:
            raise LayerFailed("there is no free user id")
        privileges.become(spare)


def _refused(what: str, attempt: Callable[[], object], *numbers: int) -> None:
    try:
        attempt()
    except OSError as error:
        if error.errno in numbers:
            return
        raise
    raise LayerFailed(f"{what} is still possible")


def _seccomp() -> None:
    if libc.MACHINE not in NUMBERS:
        raise LayerFailed(f"there is no system call table for {libc.MACHINE}")
    privileges.no_new_privileges()
    seccomp.restrict(own_files=True)
    _refused("a socket", socket.socket, errno.EACCES)
    _refused("a process", _fork, errno.EPERM)


def _fork() -> None:
    if os.fork() == 0:
        os._exit(0)


def _landlock() -> None:
    privileges.no_new_privileges()
    landlock.restrict([], [])
    _refused("reading a folder", lambda: os.listdir("/"), errno.EACCES)


def _namespaces(spare: int | None) -> None:
    """Go all the way that a zygote and its worker go."""
    child = namespaces.leave_process_table(root=spare is not None)
    if child:
        status = os.waitpid(child, 0)[1]
        if status:
            raise LayerFailed("the process table could not be left")
        os._exit(0)
    namespaces.enter([], spare_uid=spare)
    namespaces.private_temp(1, 16)
    privileges.drop_capabilities()
    if os.path.exists("/etc") or os.getpid() != 1:
        raise LayerFailed("the file system of the machine is still there")
