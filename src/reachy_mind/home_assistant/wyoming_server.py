"""`WyomingServer`: the Wyoming services on a TCP port.

Wyoming has no authentication: who may connect is decided by address. This machine may; another one, or a network, if
the settings name it, and only where the port is bound to more than loopback.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import socket
from collections.abc import Sequence
from typing import Self

from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

from reachy_mind import log
from reachy_mind.access import lan
from reachy_mind.access.loopback import is_loopback
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import ConfigError, PortTaken
from reachy_mind.home_assistant.wyoming_connection import WyomingConnection
from reachy_mind.home_assistant.wyoming_stream import MAX_LINE, WyomingStream
from reachy_mind.mind import Mind

MOST_CONNECTIONS = 16
SERVICE_TYPE = "_wyoming._tcp.local."

_log = log.get(__name__)

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class WyomingServer:
    """Use as `async with`. Raises PortTaken, and ConfigError for peers that are no addresses."""

    def __init__(self, mind: Mind, host: str, port: int, peers: Sequence[str] = (), name: str = "Reachy Mini") -> None:
        self._mind, self._host, self.port, self._name = mind, host, port, name
        self._peers = networks(peers)
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self._announced: AsyncZeroconf | None = None

    async def __aenter__(self) -> Self:
        try:
            self._server = await asyncio.start_server(self._accept, self._host, self.port, limit=MAX_LINE)
        except OSError as error:
            raise PortTaken(
                f"the Wyoming services can't listen at {self._host}:{self.port}: {error.strerror or error}",
                hint="set home_assistant.wyoming_port",
            ) from error
        self.port = self._server.sockets[0].getsockname()[1]
        if not is_loopback(self._host):
            await self._announce()
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        if self._announced is not None:
            await self._announced.async_close()
        for connection in tuple(self._connections):
            await cancel_and_wait(connection)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._serve(reader, writer), name="wyoming connection")
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        address = str((writer.get_extra_info("peername") or ("",))[0])
        if not may_connect(address, self._peers) or len(self._connections) > MOST_CONNECTIONS:
            _log.warning("a Wyoming peer was refused", address=address, connections=len(self._connections))
            writer.transport.abort()
            return
        await WyomingConnection(self._mind, WyomingStream(reader, writer)).serve()

    async def _announce(self) -> None:
        """Let Home Assistant find it by zeroconf."""
        addresses = [socket.inet_aton(one) for one in lan.addresses() if ":" not in one and not is_loopback(one)]
        label = f"{self._name}-{socket.gethostname()}".replace(".", " ")[:60]
        service = AsyncServiceInfo(SERVICE_TYPE, f"{label}.{SERVICE_TYPE}", port=self.port, addresses=addresses)
        try:
            self._announced = AsyncZeroconf()
            await self._announced.async_register_service(service, allow_name_change=True)
        except OSError as error:
            _log.warning("the Wyoming services can't be announced on the network", reason=str(error))


def networks(peers: Sequence[str]) -> tuple[Network, ...]:
    """Raises ConfigError."""
    try:
        return tuple(ipaddress.ip_network(peer, strict=False) for peer in peers)
    except ValueError as error:
        raise ConfigError(
            f"home_assistant.wyoming_peers: {error}",
            hint="addresses or networks, such as 192.168.1.5 or 192.168.1.0/24",
        ) from None


def may_connect(address: str, peers: Sequence[Network]) -> bool:
    with contextlib.suppress(ValueError):
        found = ipaddress.ip_address(address)
        return found.is_loopback or any(found in network for network in peers if network.version == found.version)
    return False
