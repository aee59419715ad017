"""The reference of `bench fleet`: a bare WebSocket echo on uvicorn, with the same server options, and its clients.

python -m reachy_mind.bench.fleet_echo PORT
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import time
from collections import deque
from typing import Any, Final, Self

import uvicorn
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from reachy_mind.fleet.control.open_files import raise_limit
from reachy_mind.fleet.device.pacing import ReconnectDelays
from reachy_mind.fleet.device.simulation import CONNECTS_PER_S, TICK_S
from reachy_mind.fleet.protocol.limits import HEARTBEAT_S, PING_INTERVAL_S, PING_TIMEOUT_S

TEXT: Final = '{"type":"button.pressed","ts":1790000000000,"seq":1,"p":{"button":"green","press":1}}' + " " * 60
"""As long as an event's frame."""
BACKLOG: Final = 4096


async def echo(scope: Any, receive: Any, send: Any) -> None:
    """An ASGI app that returns each message."""
    if scope["type"] != "websocket":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"ok"})
        return
    await receive()
    await send({"type": "websocket.accept"})
    while (message := await receive())["type"] != "websocket.disconnect":
        await send({"type": "websocket.send", "text": message["text"]})


class EchoClients:
    """As many connections as a `Simulation` has, with the same rates; `echo_s` are times from sending to the echo."""

    def __init__(self, number: int, port: int, *, connects_per_s: float = CONNECTS_PER_S) -> None:
        self.number, self.connected = number, 0
        self.echo_s: deque[float] = deque(maxlen=100_000)
        self._url = f"ws://127.0.0.1:{port}/"
        self._connects_per_s = connects_per_s
        self._sockets: dict[int, ClientConnection] = {}
        self._sent: dict[int, deque[float]] = {}
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        self._tasks = [asyncio.create_task(self._start()), asyncio.create_task(self._beat())]
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def until_connected(self, within_s: float) -> None:
        """Raises TimeoutError."""
        deadline = time.monotonic() + within_s
        while self.connected < self.number:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{self.connected} of {self.number} connections")
            await asyncio.sleep(TICK_S)

    async def press_for(self, seconds: float, per_s: float) -> None:
        """Send messages over connections in turn, so many a second."""
        began, sent = time.monotonic(), 0
        while time.monotonic() < began + seconds:
            for number in range(sent, int((time.monotonic() - began) * per_s)):
                await self._say(number * 7919 % self.number)
                sent = number + 1
            await asyncio.sleep(min(TICK_S, 1 / per_s))

    async def _start(self) -> None:
        began = time.monotonic()
        for number in range(self.number):
            self._tasks.append(asyncio.create_task(self._keep(number)))
            await asyncio.sleep(max(0.0, (number + 1) / self._connects_per_s - (time.monotonic() - began)))

    async def _keep(self, number: int) -> None:
        delays = ReconnectDelays()
        while True:
            with contextlib.suppress(OSError, ConnectionClosed, InvalidHandshake, TimeoutError, EOFError):
                async with connect(
                    self._url,
                    compression=None,
                    proxy=None,
                    open_timeout=30,
                    ping_interval=PING_INTERVAL_S,
                    ping_timeout=PING_TIMEOUT_S,
                ) as socket:
                    await self._listen(number, socket)
            await asyncio.sleep(delays.next_s())

    async def _listen(self, number: int, socket: ClientConnection) -> None:
        """A message, its echo, then whatever comes."""
        await socket.send(TEXT)
        await socket.recv()
        self._sockets[number], self._sent[number] = socket, deque()
        self.connected += 1
        try:
            async for _ in socket:
                if self._sent[number]:
                    self.echo_s.append(time.monotonic() - self._sent[number].popleft())
        finally:
            self.connected -= 1
            del self._sockets[number]

    async def _beat(self) -> None:
        began, beats = time.monotonic(), 0
        while True:
            await asyncio.sleep(TICK_S)
            due = int((time.monotonic() - began) / HEARTBEAT_S * self.number)
            for number in range(beats, due):
                await self._say(number % self.number)
            beats = max(beats, due)

    async def _say(self, number: int) -> None:
        socket = self._sockets.get(number)
        if socket is not None:
            self._sent[number].append(time.monotonic())
            with contextlib.suppress(ConnectionClosed):
                await socket.send(TEXT)


async def _serve(port: int) -> None:
    await uvicorn.Server(
        uvicorn.Config(
            echo,
            port=port,
            lifespan="off",
            log_config=None,
            access_log=False,
            backlog=BACKLOG,
            ws="websockets-sansio",
            ws_ping_interval=PING_INTERVAL_S,
            ws_ping_timeout=PING_TIMEOUT_S,
            ws_per_message_deflate=False,
        )
    ).serve()


if __name__ == "__main__":
    import uvloop

    raise_limit()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(int(sys.argv[1])))
