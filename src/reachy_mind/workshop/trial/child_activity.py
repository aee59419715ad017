"""`ChildActivity`: whether a process has anything to compute, or waits in all its threads.

Linux tells the state and the number of context switches of every thread. Two equal readings in which every thread
sleeps prove that none ran in between: then the process waits for somebody else.
"""

from __future__ import annotations

import os
from typing import Literal

_SLEEPING, _DEAD = b"SI", b"ZX"
"""States of a thread: sleeping or idle; ended. All others run, read from a disk, or are stopped for a moment."""

State = Literal["waits", "runs", "ended"]


class ChildActivity:
    """One process, by its id."""

    def __init__(self, pid: int) -> None:
        self._folder = f"/proc/{pid}/task"

    def state(self) -> State:
        """Whether every thread of the process waits, or one runs, or all have ended."""
        try:
            first = self._reading()
            if not first:
                return "ended"
            return "waits" if None not in first and first == self._reading() else "runs"
        except OSError:  # a thread, or the process, has ended meanwhile
            return "runs" if os.path.exists(self._folder) else "ended"  # noqa: PTH110

    def _reading(self) -> list[bytes | None]:
        """The living threads with their numbers of context switches; None for one that runs."""
        found: list[bytes | None] = []
        for thread in sorted(os.listdir(self._folder)):  # noqa: PTH208 -- read thousands of times a second
            state, switches = _status(f"{self._folder}/{thread}/status")
            if state not in _DEAD:
                found.append(thread.encode() + switches if state in _SLEEPING else None)
        return found


def _status(file: str) -> tuple[int, bytes]:
    descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    try:
        text = os.read(descriptor, 8192)
    finally:
        os.close(descriptor)
    return text[text.index(b"State:\t") + 7], text[text.index(b"voluntary_ctxt_switches") :]
