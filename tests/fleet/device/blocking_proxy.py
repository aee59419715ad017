"""`BlockingProxy`: a network that lets HTTP requests through, but no WebSockets, in one of several ways."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from typing import Final, Literal, Self

from reachy_mind.bench.fault_proxy import SEGMENT, SOCKET_BUFFER
from reachy_mind.cancellation import cancel_and_wait

Blocks = Literal["nothing", "upgrade", "frames", "reading"]
"""`upgrade`: it is refused, as by a firewall; `frames`: they vanish; `reading`: nobody takes what the client sends."""
REFUSAL: Final = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 15\r\nConnection: close\r\n\r\n<h1>Policy</h1>"


class BlockingProxy:
    """Use as an async context manager; clients connect to `port`. `blocks` may change at any time."""

    def __init__(self, target: int, blocks: Blocks = "nothing") -> None:
        self.target, self.blocks = target, blocks
        self.port = 0
        self.upgrades = 0
        """Attempts to open a WebSocket."""
        self.requests: list[bytes] = []
        """What was sent by HTTP requests, in pieces."""
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        listener = socket.socket()
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, SEGMENT)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SOCKET_BUFFER)  # its connections inherit it
        listener.bind(("127.0.0.1", 0))
        self._server = await asyncio.start_server(self._accept, sock=listener, limit=SOCKET_BUFFER)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in tuple(self._tasks):
            await cancel_and_wait(task)

    def cut(self) -> None:
        """Reset all connections."""
        for writer in self._writers:
            writer.transport.abort()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError):
                await self._connect(reader, writer)
        finally:
            self._writers.discard(writer)
            writer.transport.abort()

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        is_socket = b"upgrade: websocket" in head.lower()
        self.upgrades += is_socket
        if is_socket and self.blocks == "upgrade":
            writer.write(REFUSAL)
            await writer.drain()
            return
        behind_reader, behind = await asyncio.open_connection("127.0.0.1", self.target)
        self._writers.add(behind)
        try:
            behind.write(head)
            if not is_socket:
                self.requests.append(head)
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._pass(reader, behind, is_socket=is_socket, up=True))
                tasks.create_task(self._pass(behind_reader, writer, is_socket=is_socket, up=False))
        except* (OSError, EOFError):
            pass
        finally:
            self._writers.discard(behind)
            behind.transport.abort()

    async def _pass(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, is_socket: bool, up: bool
    ) -> None:
        while True:
            while is_socket and up and self.blocks == "reading":
                await asyncio.sleep(0.05)
            chunk = await reader.read(64 << 10)
            if not chunk:
                raise EOFError
            if not is_socket and up:
                self.requests.append(chunk)
            if not (is_socket and self.blocks == "frames"):
                writer.write(chunk)
                await writer.drain()
