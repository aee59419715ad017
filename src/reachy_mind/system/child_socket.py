"""`ChildSocket`: a connection to a process that is about to be started; no other process can open it.

    with ChildSocket() as link:
        process = await asyncio.create_subprocess_exec(*argv, link.argument, **link.options())
        connection = await link.connected(process)

and in that process `connection = child_socket.connect(argument)`.

A POSIX system lets the child inherit one end of a socket pair. Elsewhere (Windows), the child connects to a port of the
loopback interface and proves with a secret from its environment that it is the one; the port takes one connection.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import os
import secrets
import socket
from collections.abc import Mapping
from typing import Any, Self

from reachy_mind.system.portability import portable

VARIABLE = "REACHY_MIND_CHILD_SECRET"
SECRET_BYTES = 32
SECRET_TIMEOUT_S = 1.0
CONNECT_TIMEOUT_S = 30.0
"""For the start of the child on a busy machine; it then connects at once."""


def inherits_sockets() -> bool:
    """Whether a child process can inherit a socket by its number."""
    return os.name == "posix" and not portable()


class ChildSocket:
    """Use as `with`. A stream; `packets` adds packets to it where the system has no sockets of them.

    `kind`: the kind of an inherited pair, such as SOCK_SEQPACKET of AF_UNIX.
    """

    def __init__(self, family: int | None = None, kind: int = socket.SOCK_STREAM) -> None:
        self._ours: socket.socket | None = None
        self._theirs: socket.socket | None = None
        self._listener: socket.socket | None = None
        self._secret = secrets.token_bytes(SECRET_BYTES)
        if inherits_sockets():
            self._ours, self._theirs = socket.socketpair(family, kind) if family is not None else socket.socketpair()
            self._ours.setblocking(False)  # noqa: FBT003
            self.argument = str(self._theirs.fileno())
        else:
            self._listener = socket.create_server(("127.0.0.1", 0), backlog=4)
            self._listener.setblocking(False)  # noqa: FBT003
            self.argument = f"port:{self._listener.getsockname()[1]}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for each in (self._theirs, self._listener, self._ours):
            if each is not None:
                each.close()

    def set_send_buffer(self, size: int) -> None:
        """The bytes that each end may hold unread. Before the process is started."""
        for each in (self._ours, self._theirs, self._listener):  # what a listener accepts has its buffers
            if each is not None:
                each.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, size)

    def options(self, environment: Mapping[str, str] | None = None) -> dict[str, Any]:
        """Keywords for what starts the process; `environment` adds variables to those of this process."""
        variables = {**os.environ, **(environment or {})}
        if self._theirs is not None:
            return {"pass_fds": (self._theirs.fileno(),), "env": variables}
        return {"env": {**variables, VARIABLE: self._secret.hex()}}

    async def connected(self, process: asyncio.subprocess.Process) -> socket.socket:
        """Our end, not blocking; the caller owns it. Raises EOFError when the process ended or hung before."""
        if self._ours is not None:
            assert self._theirs is not None
            self._theirs.close()
            ours, self._ours = self._ours, None
            return ours
        accepting = asyncio.create_task(self._accepted(), name="child socket")
        ended = asyncio.create_task(process.wait(), name="child before its socket")
        try:
            await asyncio.wait([accepting, ended], timeout=CONNECT_TIMEOUT_S, return_when=asyncio.FIRST_COMPLETED)
            if not accepting.done():
                if ended.done():
                    raise EOFError("the process ended before it connected")
                process.kill()
                raise EOFError(f"the process did not connect within {CONNECT_TIMEOUT_S:g} s")
            return accepting.result()
        finally:
            for task in (accepting, ended):
                if not task.done():
                    task.cancel()
            await asyncio.wait([accepting, ended])

    async def _accepted(self) -> socket.socket:
        assert self._listener is not None
        while True:
            connection, _ = await asyncio.get_running_loop().sock_accept(self._listener)
            try:
                if await _proves(connection, self._secret):
                    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    return connection
            except BaseException:
                connection.close()
                raise
            connection.close()  # another program of this machine found the port


async def _proves(connection: socket.socket, secret: bytes) -> bool:
    connection.setblocking(False)  # noqa: FBT003
    given = b""
    with contextlib.suppress(OSError, TimeoutError):
        async with asyncio.timeout(SECRET_TIMEOUT_S):
            while len(given) < SECRET_BYTES:
                received = await asyncio.get_running_loop().sock_recv(connection, SECRET_BYTES - len(given))
                if not received:
                    break
                given += received
    return hmac.compare_digest(given, secret)


def connect(argument: str) -> socket.socket:
    """The child's end, blocking. Processes that the child starts do not inherit it. Raises OSError, KeyError."""
    name, _, port = argument.partition(":")
    if name != "port":
        connection = socket.socket(fileno=int(argument))
        connection.set_inheritable(False)
        return connection
    secret = bytes.fromhex(os.environ.pop(VARIABLE))
    connection = socket.create_connection(("127.0.0.1", int(port)), CONNECT_TIMEOUT_S)
    connection.settimeout(None)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.sendall(secret)
    return connection
