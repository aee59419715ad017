"""`OriginMiddleware`: ASGI middleware that checks the Host and Origin headers (DNS rebinding, cross-site requests), and
CORS.

The Host must be one of our names or addresses. The Origin must be the one called, or one listed in
`server.cors_origins`; a listed one is marked `CROSS_ORIGIN` in the ASGI scope and needs a token.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from starlette.middleware.cors import CORSMiddleware

from reachy_mind.access import lan
from reachy_mind.access.authorization import NotAllowed
from reachy_mind.access.loopback import host_of, is_loopback
from reachy_mind.access.rejections import Rejections
from reachy_mind.errors import MindError

CROSS_ORIGIN = "reachy_mind.cross_origin"
"""Key in the ASGI scope: whether a page of a listed other site sent the request."""
ADDRESS_REFRESH_S = 5.0


def is_from_network(scope: Any) -> bool:
    """Whether a request came over the network: only there the server speaks TLS."""
    return scope["scheme"] in ("https", "wss")


def cors(app: Any, origins: Sequence[str]) -> CORSMiddleware:
    """Lets pages of the listed sites read our responses; they send a token, never a cookie."""
    return CORSMiddleware(
        app,
        allow_origins=origins,
        allow_methods=("GET", "POST", "PUT", "DELETE"),
        allow_headers=("Authorization", "Content-Type"),
        expose_headers=("Retry-After", "X-Voice"),
    )


class OriginMiddleware:
    """Wraps an ASGI app."""

    def __init__(self, app: Any, rejections: Rejections, *, names: Sequence[str], origins: Sequence[str]) -> None:
        self._app, self._rejections = app, rejections
        self._names, self._listed = lan.names(names), frozenset(origin.encode() for origin in origins)
        self._addresses: frozenset[str] = frozenset()
        self._refreshed_at = -ADDRESS_REFRESH_S

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        try:
            cross_origin = self._check(scope, dict(scope["headers"]))
        except MindError as error:
            await self._rejections.reject(error, scope, receive, send)
            return
        await self._app({**scope, CROSS_ORIGIN: cross_origin}, receive, send)

    def _check(self, scope: Any, headers: dict[bytes, bytes]) -> bool:
        """Whether a page of a listed other site sent it. Raises NotAllowed."""
        host = host_of(headers.get(b"host", b"").decode("latin-1"))
        if not (self._is_ours(host) if is_from_network(scope) else is_loopback(host)):
            hint = (
                "call it by its address, or add the name to server.names"
                if is_from_network(scope)
                else "call it as 127.0.0.1"
            )
            raise NotAllowed(f"host {(host or '')[:80]!r} is not this machine", hint=hint)
        origin = headers.get(b"origin")
        if origin is not None:
            scheme = b"https://" if is_from_network(scope) else b"http://"
            if origin == scheme + headers[b"host"]:
                return False
            if origin in self._listed:
                return True
            raise NotAllowed("pages from other sites may not call this server", hint="server.cors_origins lists others")
        # An image or script embedded in another site's page has no Origin, but browsers send Sec-Fetch-Site.
        site = headers.get(b"sec-fetch-site", b"none")
        is_link = headers.get(b"sec-fetch-mode") == b"navigate" and scope.get("method") == "GET"
        if site not in (b"none", b"same-origin") and not is_link:
            raise NotAllowed("pages from other sites may not call this server", hint="server.cors_origins lists others")
        return False

    def _is_ours(self, host: str | None) -> bool:
        if host is None:
            return False
        if host in self._names or host in self._addresses:
            return True
        if time.monotonic() - self._refreshed_at > ADDRESS_REFRESH_S:  # DHCP may have assigned another one
            self._addresses, self._refreshed_at = frozenset(lan.addresses()), time.monotonic()
        return host in self._addresses
