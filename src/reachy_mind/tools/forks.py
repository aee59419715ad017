"""A copy of this process must not go on as a second mind.

A tool that forks leaves a child with a copy of the event loop, which shares sockets and wake-ups with ours. The child
may do what it was forked for (run another program, work and exit); when it comes back to the event loop, it ends.
"""

from __future__ import annotations

import asyncio
import os
from typing import Any, NoReturn
from weakref import WeakSet

_loops: WeakSet[asyncio.AbstractEventLoop] = WeakSet()


def guard(loop: asyncio.AbstractEventLoop) -> None:
    """From now on, copies of this loop end at their first look at the world."""
    _loops.add(loop)


def _end(*_: Any) -> NoReturn:
    os._exit(0)


def _in_child() -> None:
    for loop in list(_loops):
        selector = getattr(loop, "_selector", None)
        if selector is not None:
            selector.select = _end


os.register_at_fork(after_in_child=_in_child)
