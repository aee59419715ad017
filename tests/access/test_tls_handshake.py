"""The listener for the network: what comes without TLS is told where to go."""

from __future__ import annotations

import asyncio
import socket
import ssl
from pathlib import Path

import httpx

from reachy_mind.access.certificate import Certificate
from reachy_mind.access.tls_handshake import TlsListener
from reachy_mind.storage.home import Home


class Greeting(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.write(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
        transport.close()


async def test_a_request_without_tls_is_redirected_and_one_with_it_is_served(home: Path) -> None:
    certificate = Certificate(Home(home), ["127.0.0.1"])
    listener = socket.create_server(("127.0.0.1", 0))
    place = f"127.0.0.1:{listener.getsockname()[1]}"
    async with TlsListener(listener, certificate.context(), Greeting):
        trust = ssl.create_default_context(cafile=certificate.authority_file)
        async with httpx.AsyncClient(verify=trust, trust_env=False) as http:
            answer = await http.get(f"http://{place}/settings")
            assert (answer.status_code, answer.headers["location"]) == (307, f"https://{place}/")
            assert (await http.get(answer.headers["location"])).status_code == 204
