"""The worker process: loads one model and serves one call after the other.

Started by `Worker` as `python -m reachy_mind.models.worker_process NAME DESCRIPTOR`. What the model prints goes to
stderr; replies go through the socket. It exits on SIGTERM and when its parent process is gone. While it loads or runs a
call, a thread sends heartbeats, so that the parent can tell a slow model from a hung one.
"""

from __future__ import annotations

import contextlib
import importlib
import signal
import socket
import sys
import threading
import time
from collections.abc import Sequence
from typing import Any

from reachy_mind import log
from reachy_mind.models import worker_messages
from reachy_mind.models.worker_liveness import HEARTBEAT_S
from reachy_mind.models.worker_messages import LoadModel, WorkerAnswer, WorkerCall, WorkerFailure
from reachy_mind.system import child_socket, parent


class Replies:
    """The worker's end of the socket for replies, with heartbeats between a request and its reply."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._lock = threading.Lock()
        self._busy = threading.Event()
        threading.Thread(target=self._beat, daemon=True).start()

    def receive(self) -> list[bytearray]:
        """The next request; from here on it is busy."""
        request = worker_messages.receive(self._connection)
        self._busy.set()
        return request

    def reply(self, reply: WorkerAnswer | WorkerFailure) -> None:
        try:
            encoded = worker_messages.encode(reply)
        except Exception as error:  # noqa: BLE001 -- pickling runs the value's own code
            encoded = worker_messages.encode(WorkerFailure.of(error))
        with self._lock:
            self._busy.clear()
            worker_messages.send(self._connection, encoded)

    def _beat(self) -> None:
        while self._busy.wait():
            time.sleep(HEARTBEAT_S)
            with self._lock:
                if self._busy.is_set():
                    with contextlib.suppress(OSError):  # the parent is gone: this process ends
                        worker_messages.send(self._connection, worker_messages.HEARTBEAT)


def main(arguments: Sequence[str]) -> int:
    name, descriptor = arguments
    log.configure_child(f"model-{name}", level="warning")  # below, libraries log what people say
    connection = child_socket.connect(descriptor)
    parent.exit_with(connection)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        return _serve(Replies(connection))
    except EOFError:
        return 0


def _serve(replies: Replies) -> int:
    load: LoadModel = worker_messages.decode(replies.receive())
    try:
        module, _, name = load.factory.partition(":")
        model = getattr(importlib.import_module(module), name)(**load.arguments)
    except Exception as error:  # noqa: BLE001 -- any error of the model is the reply
        replies.reply(WorkerFailure.of(error))
        return 1
    replies.reply(WorkerAnswer())
    while True:
        replies.reply(_run(model, replies.receive()))


def _run(model: Any, request: list[bytearray]) -> WorkerAnswer | WorkerFailure:
    try:
        call: WorkerCall = worker_messages.decode(request)
        return WorkerAnswer(getattr(model, call.method)(*call.args) if call.method else None)
    except Exception as error:  # noqa: BLE001 -- any error of the model is the reply
        return WorkerFailure.of(error)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
