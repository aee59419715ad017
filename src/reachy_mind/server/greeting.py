"""`Greeting`: how the network is let in: TLS first, so many greetings at a time, and a short time for each.

Until it is greeted a connection is none that `patience` counts, and yet it is an open file of this process: enough of
them, and this machine could not connect any more either.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Callable

from reachy_mind import log
from reachy_mind.ending import ended

MOST, MOST_OF_ONE = 64, 16
TLS_S = 5.0
"""For a greeting, and for a goodbye."""
AGAIN_S = 0.5

_log = log.get(__name__)


class Greeting:
    """Of a socket that listens; use as an async context manager. Its protocols get connections that were greeted."""

    def __init__(
        self, listener: socket.socket, context: ssl.SSLContext, protocol: Callable[[], asyncio.Protocol]
    ) -> None:
        self._listener, self._context, self._protocol = listener, context, protocol
        self._greeting: dict[asyncio.Task[None], str] = {}
        self._accepting: asyncio.Task[None] | None = None

    async def __aenter__(self) -> None:
        self._listener.listen(128)
        self._listener.settimeout(0)
        self._accepting = asyncio.create_task(self._accept(), name="network")

    async def __aexit__(self, *_: object) -> None:
        assert self._accepting is not None
        await ended(self._accepting)
        self._listener.close()
        for task in tuple(self._greeting):
            await ended(task)

    async def _accept(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                connection, address = await loop.sock_accept(self._listener)
            except OSError as error:
                _log.error("nobody of the network can connect just now", reason=str(error))
                await asyncio.sleep(AGAIN_S)
                continue
            same = sum(other == address[0] for other in self._greeting.values())
            if len(self._greeting) >= MOST or same >= MOST_OF_ONE:
                connection.close()
                continue
            task = asyncio.create_task(self._greet(connection), name="greeting")
            self._greeting[task] = address[0]
            task.add_done_callback(self._greeting.pop)

    async def _greet(self, connection: socket.socket) -> None:
        try:
            await asyncio.get_running_loop().connect_accepted_socket(
                self._protocol,
                connection,
                ssl=self._context,
                ssl_handshake_timeout=TLS_S,
                ssl_shutdown_timeout=TLS_S,
            )
        except OSError as error:  # of TLS too: they don't trust us, or it is no TLS at all
            _log.debug("a connection came to nothing", reason=str(error))
