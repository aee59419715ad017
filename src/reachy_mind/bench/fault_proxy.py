"""`FaultProxy`: a TCP proxy on loopback that does to WebSocket connections what networks do.

It can cut (reset), swallow everything without a word (black hole), delay, and, frame by frame, repeat, reorder and
damage what a client sends or gets. It can also strand a connection: what the client had sent arrives much later, when
it has long connected again. Its buffers are small, so that a peer that does not read is noticed behind it.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import socket
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Final, Literal, Self

from reachy_mind.cancellation import cancel_and_wait

CHUNK: Final = 64 << 10
SOCKET_BUFFER: Final = 16 << 10
SEGMENT: Final = 1400
"""As on Ethernet; with loopback's large segments the kernel buffers megabytes."""
HANDSHAKE_END: Final = b"\r\n\r\n"
CONTROL_OPCODE: Final = 0x8
LAST_WORD_S: Final = 8.0
"""How long a stranded connection waits for its server to end it: longer than the server looks for newer ones."""
Mode = Literal["pass", "black hole"]


@dataclass
class Faults:
    """What happens to frames, each with a probability; `delay_s`: at most so long, in order."""

    repeat: float = 0.0
    reorder: float = 0.0
    damage: float = 0.0
    delay_s: float = 0.0


@dataclass
class FaultCounts:
    """What was done. Frames are those with data, of HTTP the pieces that were read."""

    connections: int = 0
    passed_up: int = 0
    """Frames from clients that were passed on."""
    cut: int = 0
    """Connections."""
    swallowed: int = 0
    delayed: int = 0
    repeated: int = 0
    reordered: int = 0
    damaged: int = 0
    late: int = 0
    """Frames of stranded connections that were passed on after all."""


@dataclass(eq=False)
class _Pair:
    """A client's connection and the one behind it. `kept`: what a stranded one still has to pass on."""

    client: asyncio.StreamWriter
    server: asyncio.StreamWriter
    tasks: list[asyncio.Task[None]] = field(default_factory=list)
    is_websocket: bool = False
    kept: list[bytes] | None = None
    released: asyncio.Event = field(default_factory=asyncio.Event)


class FaultProxy:
    """Use as an async context manager; clients connect to `port`. `target` may change between connections."""

    def __init__(self, target: int, seed: int = 0) -> None:
        self.target = target
        self.port = 0
        self.mode: Mode = "pass"
        self.refuse = False
        """Whether new connections are reset."""
        self.faults = Faults()
        self.counts = FaultCounts()
        self._random = random.Random(seed)  # noqa: S311 -- the same faults each time
        self._pairs: set[_Pair] = set()
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        listener = _small(socket.socket())
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", 0))
        self._server = await asyncio.start_server(self._serve, sock=listener)
        self.port = listener.getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        self.cut()
        for pair in tuple(self._pairs):
            for task in pair.tasks:
                await cancel_and_wait(task)

    @property
    def websockets(self) -> int:
        """How many WebSockets are open, without stranded ones."""
        return sum(pair.is_websocket and pair.kept is None for pair in self._pairs)

    def cut(self) -> None:
        """Reset all connections."""
        for pair in tuple(self._pairs):
            self.counts.cut += 1
            for writer in (pair.client, pair.server):
                writer.transport.abort()

    def strand(self) -> None:
        """From now on keep what the clients of open WebSockets send."""
        for pair in self._pairs:
            if pair.is_websocket and pair.kept is None:
                pair.kept = []

    def stranded(self) -> int:
        """How many frames are kept, and not released yet."""
        return sum(len(pair.kept or ()) for pair in self._pairs if not pair.released.is_set())

    def break_stranded(self) -> None:
        """The clients lose their stranded connections; the servers do not know."""
        for pair in self._pairs:
            if pair.kept is not None:
                pair.client.transport.abort()

    def release_stranded(self) -> None:
        """What was kept arrives."""
        for pair in self._pairs:
            pair.released.set()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.counts.connections += 1
        if self.refuse:
            writer.transport.abort()
            return
        behind = _small(socket.socket())
        behind.settimeout(0)
        try:
            await asyncio.get_running_loop().sock_connect(behind, ("127.0.0.1", self.target))
        except OSError:
            behind.close()
            writer.transport.abort()
            return
        behind_reader, behind_writer = await asyncio.open_connection(sock=behind)
        pair = _Pair(writer, behind_writer)
        self._pairs.add(pair)
        pair.tasks = [
            asyncio.create_task(self._pass(reader, behind_writer, pair, up=True), name="proxy up"),
            asyncio.create_task(self._pass(behind_reader, writer, pair, up=False), name="proxy down"),
        ]
        try:
            await asyncio.wait(pair.tasks, return_when=asyncio.FIRST_COMPLETED)
            if pair.kept is not None:
                await self._deliver_late(pair, behind_reader)
        finally:
            for task in pair.tasks:
                task.cancel()
            await asyncio.wait(pair.tasks)
            self._pairs.discard(pair)
            for each in (writer, behind_writer):
                each.transport.abort()

    async def _deliver_late(self, pair: _Pair, answers: asyncio.StreamReader) -> None:
        """Pass on what was kept, once it is released, and wait for the server to end the connection."""
        for task in pair.tasks:
            await cancel_and_wait(task)
        await pair.released.wait()
        with contextlib.suppress(OSError, TimeoutError):
            async with asyncio.timeout(LAST_WORD_S):
                for frame in pair.kept or ():
                    pair.server.write(frame)
                    self.counts.late += 1
                await pair.server.drain()
                while await answers.read(CHUNK):
                    pass

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, pair: _Pair, *, up: bool) -> None:
        """One direction. The head of a WebSocket's handshake passes whole; after it, frame by frame."""
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            head = await reader.readuntil(HANDSHAKE_END)
            self._send(head, writer, up=up)
            while b"upgrade: websocket" not in head.lower():  # other HTTP
                chunk = await reader.read(CHUNK)
                if not chunk:
                    return
                self._send(chunk, writer, up=up)
                await writer.drain()
            pair.is_websocket = True
            held: bytes | None = None
            async for frame in _frames(reader):
                if up and pair.kept is not None:
                    pair.kept.append(frame)
                elif self.mode == "black hole":
                    self.counts.swallowed += 1
                else:
                    held = await self._forward(frame, held, writer, up=up)

    def _send(self, data: bytes, writer: asyncio.StreamWriter, *, up: bool) -> None:
        if self.mode == "black hole":
            self.counts.swallowed += 1
            return
        self.counts.passed_up += up
        writer.write(data)

    async def _forward(
        self, frame: bytes, held: bytes | None, writer: asyncio.StreamWriter, *, up: bool
    ) -> bytes | None:
        """Send a frame with what its fate is; returns a frame that is held back until after the next one."""
        faults, chance = self.faults, self._random.random
        if faults.delay_s:
            self.counts.delayed += 1
            await asyncio.sleep(self._random.uniform(0, faults.delay_s))
        if frame[0] & CONTROL_OPCODE:
            writer.write(frame)
            return held
        if chance() < faults.damage:
            frame = _damaged(frame, self._random.randrange)
            self.counts.damaged += 1
        if held is None and chance() < faults.reorder:
            self.counts.reordered += 1
            return frame
        self._send(frame, writer, up=up)
        if chance() < faults.repeat:
            self.counts.repeated += 1
            writer.write(frame)
        if held is not None:
            self._send(held, writer, up=up)
        await writer.drain()
        return None


async def _frames(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    """WebSocket frames as they came, with their masks."""
    while True:
        head = await reader.readexactly(2)
        length = head[1] & 0x7F
        if length >= 126:
            more = await reader.readexactly(2 if length == 126 else 8)
            head += more
            length = int.from_bytes(more)
        if head[1] & 0x80:
            head += await reader.readexactly(4)
        yield head + await reader.readexactly(length)


def _damaged(frame: bytes, choose: Callable[[int], int]) -> bytes:
    """One bit of the last three quarters of a frame is wrong: its header still makes sense."""
    place = len(frame) - 1 - choose(max(1, len(frame) * 3 // 4))
    return frame[:place] + bytes([frame[place] ^ (1 << choose(8))]) + frame[place + 1 :]


def _small(made: socket.socket) -> socket.socket:
    """A socket with small buffers."""
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, SEGMENT)
    for option in (socket.SO_RCVBUF, socket.SO_SNDBUF):
        made.setsockopt(socket.SOL_SOCKET, option, SOCKET_BUFFER)
    return made
