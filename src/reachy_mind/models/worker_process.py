"""The worker process: loads one model and serves one call after the other.

Started by `Worker` as `python -m reachy_mind.models.worker_process NAME DESCRIPTOR`. What the model prints goes to
stderr; replies go through the socket. It exits on SIGTERM and when its parent process is gone.
"""

from __future__ import annotations

import importlib
import os
import select
import signal
import socket
import sys
import threading
from collections.abc import Sequence
from typing import Any

from reachy_mind.models import worker_messages
from reachy_mind.models.worker_messages import LoadModel, WorkerAnswer, WorkerCall, WorkerFailure


def main(arguments: Sequence[str]) -> int:
    _, descriptor = arguments
    connection = socket.socket(fileno=int(descriptor))
    connection.set_inheritable(False)  # a child of the model must not keep it open
    threading.Thread(target=_exit_with_parent, args=(connection,), daemon=True).start()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        return _serve(connection)
    except EOFError:
        return 0


def _serve(connection: socket.socket) -> int:
    load: LoadModel = worker_messages.decode(worker_messages.receive(connection))
    try:
        module, _, name = load.factory.partition(":")
        model = getattr(importlib.import_module(module), name)(**load.arguments)
    except Exception as error:  # noqa: BLE001 -- any error of the model is the reply
        _reply(connection, WorkerFailure.of(error))
        return 1
    _reply(connection, WorkerAnswer())
    while True:
        _reply(connection, _run(model, worker_messages.receive(connection)))


def _run(model: Any, request: list[bytearray]) -> WorkerAnswer | WorkerFailure:
    try:
        call: WorkerCall = worker_messages.decode(request)
        return WorkerAnswer(getattr(model, call.method)(*call.args))
    except Exception as error:  # noqa: BLE001 -- any error of the model is the reply
        return WorkerFailure.of(error)


def _reply(connection: socket.socket, reply: WorkerAnswer | WorkerFailure) -> None:
    try:
        encoded = worker_messages.encode(reply)
    except Exception as error:  # noqa: BLE001 -- pickling runs the value's own code
        encoded = worker_messages.encode(WorkerFailure.of(error))
    worker_messages.send(connection, encoded)


def _exit_with_parent(connection: socket.socket) -> None:
    """Exit once the other end of the socket is closed, even in the middle of a long call."""
    poll = select.poll()
    poll.register(connection, getattr(select, "POLLRDHUP", 0))  # POLLHUP is always reported
    poll.poll()
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
