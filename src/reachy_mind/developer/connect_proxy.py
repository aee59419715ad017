"""`ConnectProxy`: the one way out of a sandbox: encrypted connections to hosts that a setting names.

The listening socket lies in the network of the sandbox; connections are made from here. An address of the local machine
or network is refused, unless its host is named with that port. The address that was checked is the one used.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import socket
from collections.abc import Sequence
from typing import Self

from reachy_mind.workshop.http_broker import is_public

MAX_HEAD = 16 << 10
MAX_CONNECTIONS = 32
MAX_BYTES = 2 << 30
"""Of one run, both ways."""
CONNECT_S, HEAD_S = 20.0, 10.0
CHUNK = 1 << 16
_REQUEST = re.compile(rb"CONNECT (\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]{1,253}):(\d{1,5}) HTTP/1\.[01]\r\n")


class ConnectProxy:
    """Use as `async with`; it closes the socket at the end, and every connection."""

    def __init__(self, listening: socket.socket, hosts: Sequence[str]) -> None:
        self._listening = listening
        self._hosts = {host.lower() for host in hosts}
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._left = MAX_BYTES

    async def __aenter__(self) -> Self:
        self._listening.setblocking(False)  # noqa: FBT003
        self._server = await asyncio.start_server(self._serve, sock=self._listening, limit=MAX_HEAD)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            with contextlib.suppress(OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                await self._answer(reader, writer)
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._tasks) > MAX_CONNECTIONS:
            writer.write(b"HTTP/1.1 503 Too many connections\r\n\r\n")
            return
        async with asyncio.timeout(HEAD_S):
            head = await reader.readuntil(b"\r\n\r\n")
        found = _REQUEST.match(head)
        if found is None:
            writer.write(b"HTTP/1.1 405 Only encrypted connections (CONNECT)\r\n\r\n")
            return
        address = await self._address(found[1].decode("ascii"), int(found[2]))
        if not address:
            writer.write(b"HTTP/1.1 403 This host is not in developer.network_hosts\r\n\r\n")
            return
        async with asyncio.timeout(CONNECT_S):
            there, away = await asyncio.open_connection(address, int(found[2]))
        try:
            writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
            async with asyncio.TaskGroup() as group:
                group.create_task(self._copy(reader, away))
                group.create_task(self._copy(there, writer))
        finally:
            away.close()

    async def _address(self, host: str, port: int) -> str:
        """The address of a host that is named; empty for another one."""
        name = host.lower().rstrip(".")
        named = f"{name}:{port}" in self._hosts
        if not named and (name not in self._hosts or port != 443):
            return ""
        loop = asyncio.get_running_loop()
        try:
            found = await loop.getaddrinfo(name.strip("[]"), port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            return ""
        return next((str(place[0]) for *_, place in found if named or is_public(str(place[0]))), "")

    async def _copy(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while self._left > 0 and (data := await source.read(CHUNK)):
                self._left -= len(data)
                target.write(data)
                await target.drain()
            if target.can_write_eof():
                target.write_eof()
