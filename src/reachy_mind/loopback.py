"""Servers that are meant for this machine alone: `listen`, and `LocalOnly`, an ASGI guard.

Binding to loopback does not keep out a web page in the user's own browser. So a request must name a loopback host
(a page reaching us through a re-bound domain does not) and, if it comes from a page, that page must be local too.
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


def named(address: str) -> str | None:
    """The host that a Host header, or an origin without its scheme, names; None for what names none."""
    try:
        return urlsplit("//" + address).hostname
    except ValueError:  # such as an address with a bracket too few
        return None


class LocalOnly:
    """Wraps an ASGI app; answers 403 (or refuses the socket) for what doesn't come from this machine's own programs."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] in ("http", "websocket"):
            reason = self._refusal(dict(scope["headers"]))
            if reason:
                await self._refuse(scope["type"], reason, send)
                return
        await self._app(scope, receive, send)

    def _refusal(self, headers: dict[bytes, bytes]) -> str:
        host = named(headers.get(b"host", b"").decode("latin-1"))
        if not is_loopback(host):
            return f"host {host!r} is not this machine"
        origin = headers.get(b"origin")
        if origin is not None and not is_loopback(named(origin.decode("latin-1").partition("://")[2])):
            return "pages from other sites may not call this server"
        return ""

    async def _refuse(self, kind: str, reason: str, send: Any) -> None:
        if kind == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": reason})
            return
        error = {"error": {"code": "PERMISSION_DENIED", "message": reason, "hint": "call it as 127.0.0.1"}}
        headers = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": 403, "headers": headers})
        await send({"type": "http.response.body", "body": json.dumps(error).encode()})


def listen(port: int, *, shared: bool = False) -> socket.socket:
    """A socket on loopback; `shared`: with one of ours for other addresses. Raises PortTaken naming the port."""
    try:
        listener = socket.create_server(("127.0.0.1", port), reuse_port=shared)
    except OSError as error:
        taken = error.errno == errno.EADDRINUSE
        raise PortTaken(
            f"port {port} can't be used: {'another program has it' if taken else error}",
            hint="choose another one with --port",
        ) from error
    # asyncio sees to this only for sockets that were made as TCP by number: without it each answer of two parts, head
    # and body, waits 40 ms for the reader's kernel.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener
