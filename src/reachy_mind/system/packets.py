"""Packets between two processes: a socket that keeps them apart, or a stream with the length before each packet.

A packet that does not fit into the socket's buffer is refused as a whole, with BlockingIOError, and the next one is
newer: with both ways the latest wins, and nobody waits.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from typing import Protocol

from reachy_mind.system.child_socket import ChildSocket, connect, inherits_sockets

MAX_PACKET_BYTES = 1 << 20
_LOCAL = int(getattr(socket, "AF_UNIX", -1))
_LENGTH = struct.Struct("<I")


class PacketSocket(Protocol):
    """A non-blocking connection that keeps packets apart."""

    def recv(self, size: int, /) -> bytes:
        """The next packet; empty when the other side is gone. Raises BlockingIOError when there is none, OSError."""

    def send(self, packet: bytes, /) -> int:
        """Raises BlockingIOError when the other side does not read, OSError when it is gone."""

    async def arrival(self, size: int, /) -> bytes:
        """`recv` that waits for a packet."""

    def close(self) -> None: ...


def has_packet_sockets() -> bool:
    """Whether the system has sockets of packets that a process can inherit: Linux has."""
    if not inherits_sockets():
        return False
    try:
        ours, theirs = socket.socketpair(_LOCAL, socket.SOCK_SEQPACKET)
    except OSError:  # macOS has none of this kind
        return False
    ours.close()
    theirs.close()
    return True


def connection_name() -> str:
    """The way that is taken here, in words, for figures that depend on it."""
    if has_packet_sockets():
        return "AF_UNIX SEQPACKET"
    return "AF_UNIX stream with lengths" if inherits_sockets() else "loopback TCP with lengths"


def child_packets(buffer_bytes: int) -> ChildSocket:
    """A connection of packets to a process that is about to be started; `packets` reads the socket that it gives."""
    link = ChildSocket(_LOCAL, socket.SOCK_SEQPACKET) if has_packet_sockets() else ChildSocket()
    link.set_send_buffer(buffer_bytes)
    return link


def packets(connection: socket.socket) -> PacketSocket:
    """Packets on a connected socket, which is not blocking from now on."""
    connection.setblocking(False)  # noqa: FBT003
    keeps_packets = connection.type == socket.SOCK_SEQPACKET
    return KeptPackets(connection) if keeps_packets else FramedPackets(connection)


def connect_packets(argument: str) -> PacketSocket:
    """The child's end of `child_packets`."""
    return packets(connect(argument))


class KeptPackets:
    """Packets on a socket that keeps them apart."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self.recv, self.send, self.close = connection.recv, connection.send, connection.close

    async def arrival(self, size: int, /) -> bytes:
        return await asyncio.get_running_loop().sock_recv(self._connection, size)


class FramedPackets:
    """Packets on a stream. The rest of a packet that the socket takes in part goes with the next call of any kind."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._received = bytearray()
        self._unsent = memoryview(b"")

    def recv(self, size: int, /) -> bytes:
        with contextlib.suppress(OSError):
            self._flush()
        while (packet := self._complete()) is None:
            if not (got := self._connection.recv(size)):
                return b""
            self._received += got
        return packet

    async def arrival(self, size: int, /) -> bytes:
        with contextlib.suppress(OSError):
            self._flush()
        while (packet := self._complete()) is None:
            if not (got := await asyncio.get_running_loop().sock_recv(self._connection, size)):
                return b""
            self._received += got
        return packet

    def send(self, packet: bytes, /) -> int:
        self._flush()
        framed = memoryview(_LENGTH.pack(len(packet)) + packet)
        self._unsent = framed[self._connection.send(framed) :]
        return len(packet)

    def close(self) -> None:
        self._connection.close()

    def _complete(self) -> bytes | None:
        if len(self._received) < _LENGTH.size:
            return None
        (length,) = _LENGTH.unpack_from(self._received)
        if length > MAX_PACKET_BYTES:
            raise ConnectionError(f"a packet of {length} bytes")
        end = _LENGTH.size + length
        if len(self._received) < end:
            return None
        packet = bytes(self._received[_LENGTH.size : end])
        del self._received[:end]
        return packet

    def _flush(self) -> None:
        while self._unsent:
            self._unsent = self._unsent[self._connection.send(self._unsent) :]
