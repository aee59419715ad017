"""Wire protocol between us and a worker process: pickled objects, with big buffers (numpy arrays) sent uncopied.

A message is the number of its segments, their lengths, then the segments: the pickle first, then its buffers. Both ends
are our own code on one machine, connected by a socket that no other process can open. A message without segments is a
heartbeat: the worker sends it while it is busy.
"""

from __future__ import annotations

import asyncio
import pickle
import socket
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Segment = bytes | memoryview
_COUNT = struct.Struct("<I")
HEARTBEAT: list[Segment] = [_COUNT.pack(0)]


@dataclass(frozen=True)
class LoadModel:
    """The first request: load the model."""

    factory: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class WorkerCall:
    """Run a method of the model; without a name, only answer."""

    method: str
    args: tuple[Any, ...]


@dataclass(frozen=True)
class WorkerAnswer:
    value: Any = None


@dataclass(frozen=True)
class WorkerFailure:
    """What the model raised, as text: its exception types may not exist in the calling process."""

    type: str
    message: str
    hint: str = ""

    @classmethod
    def of(cls, error: Exception) -> WorkerFailure:
        return cls(type(error).__name__, str(error), str(getattr(error, "hint", "")))


def encode(message: Any) -> list[Segment]:
    """The bytes to send. Raises what pickle raises (PicklingError, TypeError, AttributeError)."""
    buffers: list[pickle.PickleBuffer] = []
    body = pickle.dumps(message, protocol=5, buffer_callback=buffers.append)
    segments: list[Segment] = [body, *(buffer.raw() for buffer in buffers)]
    header = _COUNT.pack(len(segments)) + struct.pack(f"<{len(segments)}Q", *(len(s) for s in segments))
    return [header, *segments]


def decode(segments: Sequence[bytearray]) -> Any:
    return pickle.loads(segments[0], buffers=segments[1:])  # noqa: S301 -- from our own process


def send(connection: socket.socket, encoded: list[Segment]) -> None:
    """Send an encoded message over a blocking socket."""
    for segment in encoded:
        connection.sendall(segment)


def receive(connection: socket.socket) -> list[bytearray]:
    """The segments of the next message from a blocking socket. Raises EOFError when the peer is gone."""
    (count,) = _COUNT.unpack(_read(connection, _COUNT.size))
    sizes = struct.unpack(f"<{count}Q", _read(connection, 8 * count))
    return [_read(connection, size) for size in sizes]


async def send_async(connection: socket.socket, encoded: list[Segment]) -> None:
    """`send` for a non-blocking socket."""
    loop = asyncio.get_running_loop()
    for segment in encoded:
        await loop.sock_sendall(connection, segment)


async def receive_async(connection: socket.socket) -> list[bytearray]:
    """`receive` for a non-blocking socket. No segments: a heartbeat."""
    (count,) = _COUNT.unpack(await _read_async(connection, _COUNT.size))
    sizes = struct.unpack(f"<{count}Q", await _read_async(connection, 8 * count))
    return [await _read_async(connection, size) for size in sizes]


def _read(connection: socket.socket, size: int) -> bytearray:
    data = bytearray(size)
    view = memoryview(data)
    while view:
        if not (got := connection.recv_into(view)):
            raise EOFError("the other side is gone")
        view = view[got:]
    return data


async def _read_async(connection: socket.socket, size: int) -> bytearray:
    loop = asyncio.get_running_loop()
    data = bytearray(size)
    view = memoryview(data)
    while view:
        if not (got := await loop.sock_recv_into(connection, view)):
            raise EOFError("the other side is gone")
        view = view[got:]
    return data
