"""`FaultProxy`: a TCP proxy on loopback that does to WebSocket connections what networks do.

It can cut (reset), swallow everything without a word (black hole), delay, and, frame by frame, repeat, reorder and
damage what a client sends or gets.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Final, Literal, Self

from reachy_mind.cancellation import cancel_and_wait

CHUNK: Final = 64 << 10
HANDSHAKE_END: Final = b"\r\n\r\n"
CONTROL_OPCODE: Final = 0x8
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
    """What was done."""

    connections: int = 0
    cuts: int = 0
    repeated: int = 0
    reordered: int = 0
    damaged: int = 0


@dataclass(eq=False)
class _Pair:
    """A client's connection and the one behind it."""

    client: asyncio.StreamWriter
    server: asyncio.StreamWriter
    tasks: list[asyncio.Task[None]] = field(default_factory=list)


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
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        self.cut()
        for pair in tuple(self._pairs):
            for task in pair.tasks:
                await cancel_and_wait(task)

    def cut(self) -> None:
        """Reset all connections."""
        for pair in tuple(self._pairs):
            self.counts.cuts += 1
            for writer in (pair.client, pair.server):
                writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.counts.connections += 1
        if self.refuse:
            writer.transport.abort()
            return
        try:
            behind_reader, behind_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.transport.abort()
            return
        pair = _Pair(writer, behind_writer)
        self._pairs.add(pair)
        pair.tasks = [
            asyncio.create_task(self._pass(reader, behind_writer), name="proxy up"),
            asyncio.create_task(self._pass(behind_reader, writer), name="proxy down"),
        ]
        try:
            await asyncio.wait(pair.tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in pair.tasks:
                task.cancel()
            await asyncio.wait(pair.tasks)
            self._pairs.discard(pair)
            for each in (writer, behind_writer):
                each.transport.abort()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One direction. The head of a WebSocket's handshake passes whole; after it, frame by frame."""
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            head = await reader.readuntil(HANDSHAKE_END)
            writer.write(head)
            held: bytes | None = None
            while b"upgrade: websocket" not in head.lower():  # other HTTP
                chunk = await reader.read(CHUNK)
                if not chunk:
                    return
                if self.mode == "pass":
                    writer.write(chunk)
            async for frame in _frames(reader):
                if self.mode == "black hole":
                    continue
                held = await self._forward(frame, held, writer)

    async def _forward(self, frame: bytes, held: bytes | None, writer: asyncio.StreamWriter) -> bytes | None:
        """Send a frame with what its fate is; returns a frame that is held back until after the next one."""
        faults, chance = self.faults, self._random.random
        if faults.delay_s:
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
        writer.write(frame)
        if chance() < faults.repeat:
            self.counts.repeated += 1
            writer.write(frame)
        if held is not None:
            writer.write(held)
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
    """One bit of the last quarter of a frame is wrong: its header still makes sense."""
    place = len(frame) - 1 - choose(max(1, len(frame) // 4))
    return frame[:place] + bytes([frame[place] ^ (1 << choose(7))]) + frame[place + 1 :]
