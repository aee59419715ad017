"""`WebSocketClients`: the clients on `/ws/sdk`. Each has a bounded queue, so that a slow client affects no other."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator

from fastapi import WebSocket, WebSocketDisconnect

from reachy_mind import log

QUEUE_LENGTH = 100
SEND_TIMEOUT_S = 10.0

_log = log.get(__name__)


class WebSocketClient:
    """One connection, with an outgoing queue that drops its oldest message when full."""

    def __init__(self, socket: WebSocket) -> None:
        self.socket = socket
        self.name = f"{socket.client.host}:{socket.client.port}" if socket.client else "unknown"
        self._queue: asyncio.Queue[str] = asyncio.Queue(QUEUE_LENGTH)

    def offer(self, message: str) -> None:
        if self._queue.full():
            self._queue.get_nowait()
        self._queue.put_nowait(message)

    async def send_all(self) -> None:
        """Send the queue until cancelled. Closes a client that does not read within the timeout."""
        while True:
            message = await self._queue.get()
            try:
                async with asyncio.timeout(SEND_TIMEOUT_S):
                    await self.socket.send_text(message)
            except TimeoutError:
                _log.warning("client does not read, closing it", client=self.name, after_s=SEND_TIMEOUT_S)
                with contextlib.suppress(TimeoutError, RuntimeError, WebSocketDisconnect):
                    async with asyncio.timeout(1.0):
                        await self.socket.close(1008, "you are not reading")
                return


class WebSocketClients:
    def __init__(self) -> None:
        self._clients: set[WebSocketClient] = set()

    def __len__(self) -> int:
        return len(self._clients)

    def broadcast(self, message: str) -> None:
        for client in self._clients:
            client.offer(message)

    def broadcast_json(self, message: dict[str, object]) -> None:
        self.broadcast(json.dumps(message))

    async def close_all(self, code: int, reason: str) -> None:
        """Close every connection."""
        for client in tuple(self._clients):
            with contextlib.suppress(TimeoutError, RuntimeError, WebSocketDisconnect):
                async with asyncio.timeout(1.0):
                    await client.socket.close(code, reason)

    @contextlib.asynccontextmanager
    async def connected(self, socket: WebSocket) -> AsyncIterator[WebSocketClient]:
        """A client for the duration of a `with`, with its sender task."""
        client = WebSocketClient(socket)
        self._clients.add(client)
        sender = asyncio.create_task(client.send_all(), name=f"send to {client.name}")
        try:
            yield client
        finally:
            self._clients.discard(client)
            sender.cancel()
            with contextlib.suppress(asyncio.CancelledError, WebSocketDisconnect, RuntimeError):
                await sender
