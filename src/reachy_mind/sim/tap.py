"""`Tap`: a stream of PCM blocks that any number of programs may listen to, each at its own pace."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Iterator

from fastapi import WebSocket, WebSocketDisconnect

from reachy_mind import log

MOST_BLOCKS = 100
STUCK_AFTER_S = 10.0

_log = log.get(__name__)


class Listener:
    """Blocks on their way to one program. One that falls behind loses the oldest, and is told how much.

    Two seconds wait here, about as much again in the buffers of the connection.
    """

    def __init__(self) -> None:
        self._blocks: deque[bytes] = deque()
        self._lost = 0
        self._arrived = asyncio.Event()

    def offer(self, block: bytes) -> int:
        """The number of samples that had to go for it."""
        dropped = len(self._blocks.popleft()) // 2 if len(self._blocks) == MOST_BLOCKS else 0
        self._lost += dropped
        self._blocks.append(block)
        self._arrived.set()
        return dropped

    async def take(self) -> tuple[int, bytes]:
        """Samples lost since the last time, and the next block after them."""
        while not self._blocks:
            self._arrived.clear()
            await self._arrived.wait()
        lost, self._lost = self._lost, 0
        return lost, self._blocks.popleft()


class Tap:
    def __init__(self) -> None:
        self.lost = 0
        """Samples that listeners were too slow for, all of them together."""
        self._listeners: set[Listener] = set()

    def __len__(self) -> int:
        return len(self._listeners)

    def offer(self, block: bytes) -> None:
        for listener in self._listeners:
            self.lost += listener.offer(block)

    @contextlib.contextmanager
    def joined(self) -> Iterator[Listener]:
        """A listener for the time of a `with`; it hears from the next block on."""
        listener = Listener()
        self._listeners.add(listener)
        try:
            yield listener
        finally:
            self._listeners.discard(listener)

    async def serve(self, socket: WebSocket, start: Callable[[], dict[str, object]]) -> None:
        """Send what `start` says and then every block, until the program leaves or does not read for ten seconds."""
        await socket.accept()
        leaving = asyncio.create_task(_gone(socket), name="listener leaves")
        with self.joined() as listener:
            sending = asyncio.create_task(_send_all(socket, listener, start()), name="listener")
            try:
                await asyncio.wait((leaving, sending), return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in (leaving, sending):
                    task.cancel()
                await asyncio.gather(leaving, sending, return_exceptions=True)


async def _gone(socket: WebSocket) -> None:
    """Returns when the other side has closed; what it sends is not for us."""
    while (await socket.receive())["type"] != "websocket.disconnect":
        pass


async def _send_all(socket: WebSocket, listener: Listener, start: dict[str, object]) -> None:
    try:
        async with asyncio.timeout(STUCK_AFTER_S):
            await socket.send_json({"type": "start", **start})
        while True:
            lost, block = await listener.take()
            if lost:
                async with asyncio.timeout(STUCK_AFTER_S):
                    await socket.send_json({"type": "lost", "samples": lost})
            async with asyncio.timeout(STUCK_AFTER_S):
                await socket.send_bytes(block)
    except TimeoutError:
        _log.warning("listener does not read, closing it", after_s=STUCK_AFTER_S)
        with contextlib.suppress(TimeoutError, RuntimeError, WebSocketDisconnect):
            async with asyncio.timeout(1.0):
                await socket.close(1008, "you are not reading")
    except (RuntimeError, WebSocketDisconnect):
        return  # it left while we were sending
