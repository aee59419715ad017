"""`JitterProxy`: a TCP proxy on loopback that delays what passes, each direction by its own random times, in order."""

from __future__ import annotations

import asyncio
import contextlib
import random
import socket
import time
from dataclasses import dataclass
from typing import Final, Self

from reachy_mind.cancellation import cancel_and_wait

CHUNK: Final = 64 << 10


@dataclass(frozen=True)
class DelayDistribution:
    """Milliseconds, even between `least` and `most`; with the probability `spikes`, even up to `longest`."""

    least: float
    most: float
    spikes: float = 0.0
    shortest_spike: float = 0.0
    longest_spike: float = 0.0

    def seconds(self, chance: random.Random) -> float:
        spike = chance.random() < self.spikes
        low, high = (self.shortest_spike, self.longest_spike) if spike else (self.least, self.most)
        return chance.uniform(low, high) / 1000


LAN: Final = DelayDistribution(0.2, 2.0)
WIFI: Final = DelayDistribution(2.0, 8.0, 0.05, 20.0, 120.0)


class JitterProxy:
    """Use as an async context manager; clients connect to `port`. Several chunks are on their way at once."""

    def __init__(self, target: int, delays: DelayDistribution, seed: int) -> None:
        self.port = 0
        self._target, self._delays = target, delays
        self._random = random.Random(seed)  # noqa: S311 -- the same delays each time
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in tuple(self._tasks):
            await cancel_and_wait(task)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            await self._serve(reader, writer)
        finally:
            self._tasks.discard(task)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            behind_reader, behind_writer = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:
            writer.transport.abort()
            return
        for each in (writer, behind_writer):
            each.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            async with asyncio.TaskGroup() as ways:
                ways.create_task(self._pass(reader, behind_writer))
                ways.create_task(self._pass(behind_reader, writer))
        finally:
            for each in (writer, behind_writer):
                each.transport.abort()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One direction, until its end."""
        waiting: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

        async def deliver() -> None:
            while True:
                due, chunk = await waiting.get()
                await asyncio.sleep(max(0.0, due - time.monotonic()))
                if not chunk:
                    writer.write_eof()
                    return
                writer.write(chunk)

        delivering, last = asyncio.create_task(deliver(), name="proxy delivery"), 0.0
        try:
            with contextlib.suppress(OSError):
                while chunk := await reader.read(CHUNK):
                    last = max(last, time.monotonic() + self._delays.seconds(self._random))
                    waiting.put_nowait((last, chunk))
                waiting.put_nowait((last, b""))
                await delivering
        finally:
            with contextlib.suppress(OSError):
                await cancel_and_wait(delivering)
