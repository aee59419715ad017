"""Resource limits of a worker. Hard and soft are the same: nothing inside can raise them."""

from __future__ import annotations

import contextlib
import math
import os
import resource
from typing import Any

MB = 1024 * 1024
PAGE = resource.getpagesize()
STACK_BYTES = 8 * MB
THREAD_STACK_BYTES = 2 * MB
MAX_DESCRIPTORS = 64
MAX_THREADS = 64
PROGRAM_DESCRIPTORS = 1024
NICE = 5
OOM_SCORE = "800"
ZYGOTE_DESCRIPTORS = 256
"""The zygote has no descriptor from here on, so that a worker can close all of them."""


def address_space() -> int:
    """Return the bytes of address space that this process has mapped."""
    with open("/proc/self/statm", "rb") as statm:
        return int(statm.read().split()[0]) * PAGE


def yield_to_others() -> None:
    """Let the robot's own processes go first, and be the first to go when the machine has no memory left."""
    os.nice(NICE)
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as score:
        score.write(OOM_SCORE)


def tasks_of(uid: int) -> int:
    """Return how many threads this user has."""
    count = 0
    for entry in os.scandir("/proc"):
        try:
            if entry.name.isdigit() and entry.stat().st_uid == uid:
                count += len(os.listdir(f"{entry.path}/task"))
        except OSError:
            continue  # it ended meanwhile
    return count


def apply(limits: dict[str, Any]) -> None:
    """Set every limit of a worker. Raises `OSError` or `ValueError` where one can't be set."""
    values = {
        resource.RLIMIT_AS: limits["address_space"] + limits["memory_mb"] * MB,
        resource.RLIMIT_CPU: max(1, math.ceil(limits["cpu_s"])),
        resource.RLIMIT_FSIZE: limits["file_mb"] * MB,
        resource.RLIMIT_NOFILE: MAX_DESCRIPTORS,
        resource.RLIMIT_NPROC: limits["processes"] + MAX_THREADS,
        resource.RLIMIT_CORE: 1,  # with 0, a program that collects crashes is still started, as root and outside
        resource.RLIMIT_STACK: STACK_BYTES,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
        resource.RLIMIT_SIGPENDING: MAX_THREADS,
        resource.RLIMIT_NICE: 0,
        resource.RLIMIT_RTPRIO: 0,
    }
    _set(values)


def apply_to_programs(limits: dict[str, Any]) -> None:
    """Set every limit of programs; those of memory and CPU time are for each process. Raises as `apply`.

    Address space is not bounded: runtimes reserve much more of it than they use.
    """
    values = {
        resource.RLIMIT_DATA: limits["memory_mb"] * MB,
        resource.RLIMIT_CPU: max(1, math.ceil(limits["cpu_s"])),
        resource.RLIMIT_FSIZE: limits["files_mb"] * MB,
        resource.RLIMIT_NOFILE: PROGRAM_DESCRIPTORS,
        resource.RLIMIT_NPROC: limits["tasks"],
        resource.RLIMIT_CORE: 1,  # as above
        resource.RLIMIT_STACK: STACK_BYTES,
        resource.RLIMIT_MEMLOCK: MB,
        resource.RLIMIT_MSGQUEUE: 0,
        resource.RLIMIT_SIGPENDING: limits["tasks"],
        resource.RLIMIT_NICE: 0,
        resource.RLIMIT_RTPRIO: 0,
    }
    _set(values)


def _set(values: dict[int, int]) -> None:
    for kind, value in values.items():
        hard = resource.getrlimit(kind)[1]
        wanted = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (wanted, wanted))
