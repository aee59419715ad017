"""Servers for this machine alone: `listen` on loopback, and `LocalOnly`, an ASGI middleware against DNS rebinding.

Binding to loopback does not keep out a web page in the user's own browser. So the Host header must name a loopback
host (it does not when a page uses a re-bound domain), and the Origin, if there is one, must be local too.
"""

from __future__ import annotations

import errno
import ipaddress
import json
import socket
from typing import Any
from urllib.parse import urlsplit

from reachy_mind.errors import PortTaken


def is_loopback(host: str | None) -> bool:
    """Whether a host name or address, without port, means this machine."""
    if host is None:
        return False
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def host_of(address: str) -> str | None:
    """The host in a Host header, or in an origin without its scheme; None when there is none."""
    try:
        return urlsplit("//" + address).hostname
    except ValueError:  # such as an unbalanced bracket
        return None


class LocalOnly:
    """Wraps an ASGI app; answers 403, or rejects the WebSocket, unless a local program or page calls."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] in ("http", "websocket"):
            reason = self._rejection(dict(scope["headers"]))
            if reason:
                await self._reject(scope["type"], reason, send)
                return
        await self._app(scope, receive, send)

    def _rejection(self, headers: dict[bytes, bytes]) -> str:
        host = host_of(headers.get(b"host", b"").decode("latin-1"))
        if not is_loopback(host):
            return f"host {host!r} is not this machine"
        origin = headers.get(b"origin")
        if origin is not None and not is_loopback(host_of(origin.decode("latin-1").partition("://")[2])):
            return "pages from other sites may not call this server"
        return ""

    async def _reject(self, kind: str, reason: str, send: Any) -> None:
        if kind == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": reason})
            return
        error = {"error": {"code": "PERMISSION_DENIED", "message": reason, "hint": "call it as 127.0.0.1"}}
        headers = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": 403, "headers": headers})
        await send({"type": "http.response.body", "body": json.dumps(error).encode()})


def listen(port: int, *, shared: bool = False) -> socket.socket:
    """A listening socket on loopback; `shared`: another socket of ours may use the same port. Raises PortTaken."""
    try:
        listener = socket.create_server(("127.0.0.1", port), reuse_port=shared)
    except OSError as error:
        taken = error.errno == errno.EADDRINUSE
        raise PortTaken(
            f"port {port} can't be used: {'another program has it' if taken else error}",
            hint="choose another one with --port",
        ) from error
    # asyncio sets this only on sockets created with the protocol number of TCP. Without it each response in two parts,
    # head and body, waits 40 ms for the peer's delayed acknowledgement.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener
