"""The reference of `fleet_faults`: a device and a server with the delivery of the older protocol.

Messages wait in memory while there is no connection, nothing is acknowledged or numbered, and the server stores what
arrives. Written from the description of that protocol, with its reconnect delay of 5 s shortened, in its favour.

    python -m reachy_mind.bench.fleet_source_reference server PORT FILE
    python -m reachy_mind.bench.fleet_source_reference device PORT FIRST PER_S

The device prints each number that it has accepted. SIGUSR1: it accepts no more, and prints `end`.
"""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections import deque
from pathlib import Path
from typing import Final

from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed, InvalidHandshake

RECONNECT_S: Final = 0.3
END: Final = "end"


class SourceReferenceDevice:
    """Sends at once while connected, else keeps in memory."""

    def __init__(self, port: int) -> None:
        self._url = f"ws://127.0.0.1:{port}/ws"
        self._socket: ClientConnection | None = None
        self._queue: deque[str] = deque()

    async def send(self, text: str) -> None:
        socket = self._socket
        if socket is None:
            self._queue.append(text)
            return
        try:
            await socket.send(text)
        except ConnectionClosed:
            self._socket = None
            self._queue.append(text)

    async def keep_connected(self) -> None:
        while True:
            try:
                async with connect(self._url, proxy=None, ping_interval=30, ping_timeout=10) as socket:
                    while self._queue:
                        await socket.send(self._queue.popleft())
                    self._socket = socket
                    await socket.wait_closed()
            except (OSError, ConnectionClosed, InvalidHandshake, TimeoutError, EOFError):
                pass
            self._socket = None
            await asyncio.sleep(RECONNECT_S)


async def run_device(port: int, first: int, per_s: int) -> None:
    enough = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, enough.set)
    device = SourceReferenceDevice(port)
    connecting = asyncio.create_task(device.keep_connected())
    number = first
    while not enough.is_set():
        await device.send(json.dumps({"type": "button_press", "payload": {"n": number}}))
        print(number, flush=True)
        number += 1
        await asyncio.sleep(1 / per_s)
    print(END, flush=True)
    await connecting


async def run_server(port: int, file: Path) -> None:
    with file.open("a", buffering=1) as stored:

        async def receive(socket: ServerConnection) -> None:
            try:
                async for text in socket:
                    stored.write(f"{json.loads(text)['payload']['n']}\n")
            except (ConnectionClosed, ValueError, KeyError):
                return

        async with serve(receive, "127.0.0.1", port) as server:
            await server.serve_forever()


if __name__ == "__main__":
    part, *given = sys.argv[1:]
    if part == "server":
        asyncio.run(run_server(int(given[0]), Path(given[1])))
    else:
        asyncio.run(run_device(*(int(each) for each in given)))
