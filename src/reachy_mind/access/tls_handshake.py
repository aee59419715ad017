"""`TlsListener`: accepts network connections and does their TLS handshakes, with a timeout and a limit on how many run.

A connection in its handshake is not yet counted by `HttpProtocol`, but it is an open file of this process: without a
limit, enough of them would keep this machine's own programs from connecting. Requests without TLS are redirected.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Callable

from reachy_mind import log
from reachy_mind.cancellation import cancel_and_wait

MAX_HANDSHAKES, MAX_HANDSHAKES_PER_ADDRESS = 64, 16
HANDSHAKE_TIMEOUT_S = 5.0
"""Also for the TLS shutdown."""
ACCEPT_RETRY_S = 0.5

_log = log.get(__name__)


class TlsListener:
    """Serves a listening socket; use as an async context manager. `protocol` gets a connection after its handshake."""

    def __init__(
        self, listener: socket.socket, context: ssl.SSLContext, protocol: Callable[[], asyncio.Protocol]
    ) -> None:
        self._listener, self._context, self._protocol = listener, context, protocol
        self._handshakes: dict[asyncio.Task[None], str] = {}
        self._accepting: asyncio.Task[None] | None = None

    async def __aenter__(self) -> None:
        self._listener.listen(128)
        self._listener.settimeout(0)
        self._accepting = asyncio.create_task(self._accept(), name="tls listener")

    async def __aexit__(self, *_: object) -> None:
        assert self._accepting is not None
        await cancel_and_wait(self._accepting)
        self._listener.close()
        for task in tuple(self._handshakes):
            await cancel_and_wait(task)

    async def _accept(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                connection, address = await loop.sock_accept(self._listener)
            except OSError as error:
                _log.error("network connections can't be accepted just now", reason=str(error))
                await asyncio.sleep(ACCEPT_RETRY_S)
                continue
            of_address = sum(other == address[0] for other in self._handshakes.values())
            if len(self._handshakes) >= MAX_HANDSHAKES or of_address >= MAX_HANDSHAKES_PER_ADDRESS:
                connection.close()
                continue
            task = asyncio.create_task(self._handshake(connection), name="tls handshake")
            self._handshakes[task] = address[0]
            task.add_done_callback(self._handshakes.pop)

    async def _handshake(self, connection: socket.socket) -> None:
        try:
            same = connection.dup()  # asyncio closes its own when the handshake fails
        except OSError:  # too many open files
            connection.close()
            return
        try:
            await asyncio.get_running_loop().connect_accepted_socket(
                self._protocol,
                connection,
                ssl=self._context,
                ssl_handshake_timeout=HANDSHAKE_TIMEOUT_S,
                ssl_shutdown_timeout=HANDSHAKE_TIMEOUT_S,
            )
        except OSError as error:  # including SSLError: the peer does not trust us, or does not speak TLS
            _log.debug("a TLS handshake failed", reason=str(error))
            if getattr(error, "reason", None) == "HTTP_REQUEST":
                await _redirect(same)
        finally:
            same.close()


async def _redirect(connection: socket.socket) -> None:
    """Answer a request without TLS: the vendor's programs, and people, write http:// for the address of a robot's page.

    OpenSSL has read the request, so the answer names the address and not the host name that was asked for.
    """
    host, port = connection.getsockname()[:2]
    answer = f"HTTP/1.1 307 Temporary Redirect\r\nLocation: https://{host}:{port}/\r\nContent-Length: 0\r\n"
    with contextlib.suppress(OSError):  # including TimeoutError
        async with asyncio.timeout(HANDSHAKE_TIMEOUT_S):
            await asyncio.get_running_loop().sock_sendall(connection, f"{answer}Connection: close\r\n\r\n".encode())
