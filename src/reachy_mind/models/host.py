"""The worker's side: a process that loads one model and answers one call after the other.

Started by `Worker` as `python -m reachy_mind.models.host NAME DESCRIPTOR`. What the model prints goes to stderr;
answers go through the socket. It leaves when told to (SIGTERM) and when the process that started it is gone.
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

from reachy_mind.models import channel
from reachy_mind.models.channel import Answer, Call, Failure, Load


def main(arguments: Sequence[str]) -> int:
    _, descriptor = arguments
    connection = socket.socket(fileno=int(descriptor))
    connection.set_inheritable(False)  # a process the model starts must not keep it open
    threading.Thread(target=_leave_with_parent, args=(connection,), daemon=True).start()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        return _serve(connection)
    except EOFError:
        return 0


def _serve(connection: socket.socket) -> int:
    load: Load = channel.decode(channel.receive(connection))
    try:
        module, _, name = load.factory.partition(":")
        model = getattr(importlib.import_module(module), name)(**load.arguments)
    except Exception as error:  # noqa: BLE001 -- the model's error, whatever it is, is the answer
        _reply(connection, Failure.of(error))
        return 1
    _reply(connection, Answer())
    while True:
        _reply(connection, _run(model, channel.receive(connection)))


def _run(model: Any, request: list[bytearray]) -> Answer | Failure:
    try:
        call: Call = channel.decode(request)
        return Answer(getattr(model, call.method)(*call.args))
    except Exception as error:  # noqa: BLE001 -- the model's error, whatever it is, is the answer
        return Failure.of(error)


def _reply(connection: socket.socket, reply: Answer | Failure) -> None:
    try:
        encoded = channel.encode(reply)
    except Exception as error:  # noqa: BLE001 -- pickling runs the value's own code
        encoded = channel.encode(Failure.of(error))
    channel.send(connection, encoded)


def _leave_with_parent(connection: socket.socket) -> None:
    """End this process once the other end of the socket is closed, even in the middle of a long call."""
    poll = select.poll()
    poll.register(connection, getattr(select, "POLLRDHUP", 0))  # a hang-up is reported without being asked for
    poll.poll()
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
