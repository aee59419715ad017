"""`AudioTap`: broadcasts PCM blocks to any number of listeners, each with a bounded queue."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Iterator

from fastapi import WebSocket, WebSocketDisconnect

from reachy_mind import log

MAX_BLOCKS = 100
SEND_TIMEOUT_S = 10.0

_log = log.get(__name__)


class TapReader:
    """The queue of one listener. A slow listener loses the oldest blocks, and is told how many samples.

    Two seconds wait here, about as much again in the buffers of the connection.
    """

    def __init__(self) -> None:
        self._blocks: deque[bytes] = deque()
        self._lost = 0
        self._arrived = asyncio.Event()

    def offer(self, block: bytes) -> int:
        """Queue a block. Returns the number of samples dropped for it."""
        dropped = len(self._blocks.popleft()) // 2 if len(self._blocks) == MAX_BLOCKS else 0
        self._lost += dropped
        self._blocks.append(block)
        self._arrived.set()
        return dropped

    async def take(self) -> tuple[int, bytes]:
        """The number of samples lost since the last call, and the next block."""
        while not self._blocks:
            self._arrived.clear()
            await self._arrived.wait()
        lost, self._lost = self._lost, 0
        return lost, self._blocks.popleft()


class AudioTap:
    def __init__(self) -> None:
        self.lost = 0
        """Samples lost by slow listeners, in total."""
        self._listeners: set[TapReader] = set()

    def __len__(self) -> int:
        return len(self._listeners)

    def offer(self, block: bytes) -> None:
        for listener in self._listeners:
            self.lost += listener.offer(block)

    @contextlib.contextmanager
    def subscribe(self) -> Iterator[TapReader]:
        """A listener for the duration of a `with`, from the next block on."""
        listener = TapReader()
        self._listeners.add(listener)
        try:
            yield listener
        finally:
            self._listeners.discard(listener)

    async def serve(self, socket: WebSocket, start: Callable[[], dict[str, object]]) -> None:
        """Send `start()` and then every block, until the client disconnects or a send times out."""
        await socket.accept()
        leaving = asyncio.create_task(_gone(socket), name="listener leaves")
        with self.subscribe() as listener:
            sending = asyncio.create_task(_send_all(socket, listener, start()), name="listener")
            try:
                await asyncio.wait((leaving, sending), return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in (leaving, sending):
                    task.cancel()
                await asyncio.gather(leaving, sending, return_exceptions=True)


async def _gone(socket: WebSocket) -> None:
    """Return when the client has closed the socket; ignore what it sends."""
    while (await socket.receive())["type"] != "websocket.disconnect":
        pass


async def _send_all(socket: WebSocket, listener: TapReader, start: dict[str, object]) -> None:
    try:
        async with asyncio.timeout(SEND_TIMEOUT_S):
            await socket.send_json({"type": "start", **start})
        while True:
            lost, block = await listener.take()
            if lost:
                async with asyncio.timeout(SEND_TIMEOUT_S):
                    await socket.send_json({"type": "lost", "samples": lost})
            async with asyncio.timeout(SEND_TIMEOUT_S):
                await socket.send_bytes(block)
    except TimeoutError:
        _log.warning("listener does not read, closing it", after_s=SEND_TIMEOUT_S)
        with contextlib.suppress(TimeoutError, RuntimeError, WebSocketDisconnect):
            async with asyncio.timeout(1.0):
                await socket.close(1008, "you are not reading")
    except (RuntimeError, WebSocketDisconnect):
        return  # it disconnected during a send
