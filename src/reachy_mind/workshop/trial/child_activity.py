"""`ChildActivity`: whether a process has anything to compute, or waits in all its threads.

Linux tells the state and the number of context switches of every thread. Two equal readings in which every thread
sleeps prove that none ran in between: then the process waits for somebody else.
"""

from __future__ import annotations

import os

_SLEEPING = b"SZTXI"
"""Sleeping, ended, stopped or idle: not running, and not in the middle of a read from a disk."""


class ChildActivity:
    """One process, by its id. A process that is gone computes nothing."""

    def __init__(self, pid: int) -> None:
        self._folder = f"/proc/{pid}/task"

    def blocked(self) -> bool:
        """Whether every thread of the process waits."""
        first = self._reading()
        return first is not None and first == self._reading()

    def _reading(self) -> list[bytes] | None:
        """The threads with their numbers of context switches; None when one of them runs."""
        found = []
        try:
            for thread in sorted(os.listdir(self._folder)):  # noqa: PTH208 -- read thousands of times a second
                switches = _switches(f"{self._folder}/{thread}/status")
                if switches is None:
                    return None
                found.append(thread.encode() + switches)
        except OSError:  # it ended meanwhile
            return []
        return found


def _switches(file: str) -> bytes | None:
    descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    try:
        text = os.read(descriptor, 8192)
    finally:
        os.close(descriptor)
    state = text.index(b"State:\t") + 7
    if text[state] not in _SLEEPING:
        return None
    return text[text.index(b"voluntary_ctxt_switches") :]
