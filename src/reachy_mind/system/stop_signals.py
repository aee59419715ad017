"""Signals that end a program in order, on an event loop.

A loop without signal handlers (on Windows) gets them from Python's own, which runs in the main thread.
"""

from __future__ import annotations

import _thread
import asyncio
import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

from reachy_mind.system.portability import portable

Callback = Callable[[], object]


def on_signal(number: signal.Signals, callback: Callback) -> Callable[[], None]:
    """Call `callback` on the running loop when the signal comes; what is returned puts back what was before.

    Only the main thread can do so. Windows sends SIGINT for Ctrl-C; a program that is ended by another gets no signal.
    """
    loop, before = asyncio.get_running_loop(), signal.getsignal(number)
    if not portable():
        with contextlib.suppress(NotImplementedError):
            loop.add_signal_handler(number, callback)

            def remove() -> None:
                loop.remove_signal_handler(number)
                _restore(number, before)

            return remove

    def arrived(*_: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(callback)

    signal.signal(number, arrived)
    return lambda: _restore(number, before)


@contextlib.contextmanager
def handled(callback: Callback, *numbers: signal.Signals) -> Iterator[None]:
    """`on_signal` for the duration of a `with`."""
    removers = [on_signal(number, callback) for number in numbers]
    try:
        yield
    finally:
        for remove in removers:
            remove()


def interrupt_main(number: signal.Signals) -> None:
    """Send a signal to the main thread, from another one, as if it came from outside."""
    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main is not None and not portable():
        signal.pthread_kill(main, number)
    else:
        _thread.interrupt_main(number)  # seen when the main thread next runs code of Python


def _restore(number: signal.Signals, before: Any) -> None:
    if before is not None:  # else a handler that Python did not set
        signal.signal(number, before)
