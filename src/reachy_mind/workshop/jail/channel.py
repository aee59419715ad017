"""The worker's end of the stream: calls to the host, from any thread and from coroutines; log lines; the result.

One reader thread takes the replies. It waits with locks of the interpreter, never with `threading` or `time`, which
virtual time replaces.
"""

from __future__ import annotations

import _thread
import asyncio
import os
import socket
from collections.abc import Callable
from typing import Any

from . import codec, frames

DESCRIPTOR = 3
"""The only descriptor that a worker has, besides three on the null device."""


class CallFailed(Exception):
    """The host refused a call, or the call failed there."""

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint


on_now: Callable[[float], None] | None = None
"""Told the host's time of each reply, in the reader thread, before the caller goes on. Virtual time sets it."""

_socket: socket.socket | None = None
_sending = _thread.allocate_lock()
_waiting: dict[int, Callable[[dict[str, Any]], None]] = {}
_ids = iter(range(1, 2**53))


def connect(descriptor: int = DESCRIPTOR) -> None:
    """Use this descriptor. Called once in a worker, before anything is sent."""
    global _socket  # noqa: PLW0603
    _socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, fileno=descriptor)


def start_reader() -> None:
    """Take replies from now on. Called once, after the job has been received."""
    _thread.start_new_thread(_read_replies, ())


def pending() -> int:
    """Return how many calls wait for their reply."""
    return len(_waiting)


def call(method: str, args: dict[str, Any] | None = None) -> Any:
    """Call a method of the host and wait for its value. Raises `CallFailed`."""
    answered = _thread.allocate_lock()
    answered.acquire()
    replies: list[dict[str, Any]] = []

    def resume(reply: dict[str, Any]) -> None:
        replies.append(reply)
        answered.release()

    _send_call(method, args or {}, resume)
    answered.acquire()
    return _value(replies[0])


async def acall(method: str, args: dict[str, Any] | None = None) -> Any:
    """The same from a coroutine; others go on meanwhile."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[dict[str, Any]] = loop.create_future()

    def settle(reply: dict[str, Any]) -> None:
        if not future.done():
            future.set_result(reply)

    def resume(reply: dict[str, Any]) -> None:
        try:
            loop.call_soon_threadsafe(settle, reply)
        except RuntimeError:  # the loop was closed while the host worked
            return

    _send_call(method, args or {}, resume)
    return _value(await future)


def begin(method: str, args: dict[str, Any], resume: Callable[[dict[str, Any]], None]) -> None:
    """Call a method without waiting: `resume` gets the reply, in the reader thread, and must not block."""
    _send_call(method, args, resume)


def log(text: str) -> None:
    """Send a piece of output."""
    send({"type": "log", "text": text})


def send(message: dict[str, Any]) -> None:
    """Send one message. Raises `codec.CodecError` or `frames.FrameError` for what can't be sent."""
    frame = frames.pack(*codec.encode(message))
    assert _socket is not None, "there is no channel yet"
    with _sending:
        _socket.sendall(frame)


def receive() -> dict[str, Any]:
    """Wait for one message of the host. The process ends when the host is gone."""
    text, blob = frames.lengths(bytes(_exactly(frames.HEADER.size)))
    message = codec.decode(_exactly(text), _exactly(blob))
    assert isinstance(message, dict)
    return message


def _send_call(method: str, args: dict[str, Any], resume: Callable[[dict[str, Any]], None]) -> None:
    call_id = next(_ids)
    _waiting[call_id] = resume
    try:
        send({"type": "call", "id": call_id, "method": method, "args": args})
    except BaseException:
        _waiting.pop(call_id, None)
        raise


def _value(reply: dict[str, Any]) -> Any:
    if reply["ok"]:
        return reply.get("value")
    error = reply.get("error") or {}
    raise CallFailed(str(error.get("code", "ERROR")), str(error.get("message", "")), str(error.get("hint", "")))


def _read_replies() -> None:
    while True:
        reply = receive()
        resume = _waiting.pop(reply.get("id", 0), None)
        if on_now is not None and isinstance(reply.get("now"), (int, float)):
            on_now(reply["now"])
        if resume is not None:
            resume(reply)


def _exactly(size: int) -> bytearray:
    data = bytearray(size)
    view = memoryview(data)
    filled = 0
    assert _socket is not None, "there is no channel yet"
    while filled < size:
        try:
            received = _socket.recv_into(view[filled:])
        except OSError:
            received = 0
        if not received:
            os._exit(0)
        filled += received
    return data
