"""Fork guard: a forked child of this process must not continue as a second mind.

A tool that forks leaves a child with a copy of the event loop, which shares sockets and wake-ups with ours. The child
may do its work (run another program, compute and exit); when it returns to the event loop, it exits.
"""

from __future__ import annotations

import asyncio
import os
from typing import Any, NoReturn
from weakref import WeakSet

_loops: WeakSet[asyncio.AbstractEventLoop] = WeakSet()


def guard(loop: asyncio.AbstractEventLoop) -> None:
    """Make forked copies of this loop exit when they next poll for events."""
    _loops.add(loop)


def _end(*_: Any) -> NoReturn:
    os._exit(0)


def _in_child() -> None:
    for loop in list(_loops):
        selector = getattr(loop, "_selector", None)
        if selector is not None:
            selector.select = _end


if hasattr(os, "register_at_fork"):  # Windows has no forks
    os.register_at_fork(after_in_child=_in_child)
