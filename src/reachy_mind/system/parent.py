"""The end of the process that started this one, which a helper process must not outlive."""

from __future__ import annotations

import contextlib
import os
import queue
import select
import socket
import sys
import threading
from collections.abc import Callable

from reachy_mind.system.portability import portable

PEEK_S = 0.2
"""Interval at which a portable watcher looks at a socket that has data which nobody reads yet."""
STDIN = 0


def exit_with(connection: socket.socket) -> None:
    """Exit at once when the other end of a stream socket is closed, even in the middle of a long call."""
    threading.Thread(target=_await_close, args=(connection,), name="parent", daemon=True).start()


def on_stdin_end(callback: Callable[[], object]) -> None:
    """Call `callback`, in a thread of its own, when standard input ends: whoever held its other end is gone."""
    threading.Thread(target=_await_stdin, args=(callback,), name="parent", daemon=True).start()


class Heartbeats:
    """Lines on a pipe that prove to the parent that this process works. A parent that does not read misses some."""

    def __init__(self, pipe: int) -> None:
        self._pipe = pipe
        self._waiting: queue.Queue[None] | None = None
        if sys.platform == "win32" or portable():  # a pipe that makes its writer wait, at least before Python 3.12
            self._waiting = queue.Queue(1)
            threading.Thread(target=self._write, args=(self._waiting,), name="heartbeats", daemon=True).start()
        else:
            os.set_blocking(pipe, False)

    def beat(self) -> None:
        """Never waits."""
        if self._waiting is None:
            with contextlib.suppress(BlockingIOError, BrokenPipeError):
                os.write(self._pipe, b"\n")
            return
        with contextlib.suppress(queue.Full):
            self._waiting.put_nowait(None)

    def _write(self, waiting: queue.Queue[None]) -> None:
        with contextlib.suppress(OSError):  # the parent is gone
            while True:
                waiting.get()
                os.write(self._pipe, b"\n")


def _await_stdin(callback: Callable[[], object]) -> None:
    try:
        while os.read(STDIN, 4096):
            continue
    except OSError:  # closed, or never there
        pass
    callback()


def _await_close(connection: socket.socket) -> None:
    if hasattr(select, "poll") and not portable():
        poll = select.poll()
        poll.register(connection, getattr(select, "POLLRDHUP", 0))  # POLLHUP is always reported
        poll.poll()
    else:
        _peek_until_closed(connection)
    os._exit(0)


def _peek_until_closed(connection: socket.socket) -> None:
    """Data that waits is left to its reader; the end of the stream is seen once nothing waits before it."""
    pause = threading.Event()
    while True:
        try:
            select.select([connection], [], [])
            if not connection.recv(1, socket.MSG_PEEK):
                return
        except (OSError, ValueError):
            return
        pause.wait(PEEK_S)
