"""`KnownOrigins`: the first guard. A request must call us by a name of ours, and a page that sends it must be ours.

The name keeps out pages that reach us through a re-bound domain. A page's origin must be the very one it calls, or one
that the owner listed (`server.cors_origins`), which then needs a token: `foreign` says so to whoever comes next.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from starlette.middleware.cors import CORSMiddleware

from reachy_mind import lan
from reachy_mind.errors import MindError
from reachy_mind.loopback import is_loopback, named
from reachy_mind.server.refusals import Refusals
from reachy_mind.server.visitors import NotAllowed

FOREIGN = "reachy_mind.foreign"
LOOKED_EVERY_S = 5.0


def is_far(scope: Any) -> bool:
    """Whether it came over the network: only there we speak TLS."""
    return scope["scheme"] in ("https", "wss")


def cors(app: Any, origins: Sequence[str]) -> CORSMiddleware:
    """Lets pages of listed sites read our answers; they show a token, never a cookie."""
    return CORSMiddleware(
        app,
        allow_origins=origins,
        allow_methods=("GET", "POST", "PUT", "DELETE"),
        allow_headers=("Authorization", "Content-Type"),
        expose_headers=("Retry-After", "X-Voice"),
    )


class KnownOrigins:
    """Wraps an ASGI app."""

    def __init__(self, app: Any, refusals: Refusals, *, names: Sequence[str], origins: Sequence[str]) -> None:
        self._app, self._refusals = app, refusals
        self._names, self._listed = lan.names(names), frozenset(origin.encode() for origin in origins)
        self._addresses: frozenset[str] = frozenset()
        self._looked_at = -LOOKED_EVERY_S

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        try:
            foreign = self._checked(scope, dict(scope["headers"]))
        except MindError as error:
            await self._refusals.answer(error, scope, receive, send)
            return
        await self._app({**scope, FOREIGN: foreign}, receive, send)

    def _checked(self, scope: Any, headers: dict[bytes, bytes]) -> bool:
        """Whether it is a listed page of another site. Raises NotAllowed."""
        host = named(headers.get(b"host", b"").decode("latin-1"))
        if not (self._is_ours(host) if is_far(scope) else is_loopback(host)):
            hint = (
                "call it by its address, or add the name to server.names" if is_far(scope) else "call it as 127.0.0.1"
            )
            raise NotAllowed(f"host {(host or '')[:80]!r} is not this machine", hint=hint)
        origin = headers.get(b"origin")
        if origin is not None:
            secure = b"https://" if is_far(scope) else b"http://"
            if origin == secure + headers[b"host"]:
                return False
            if origin in self._listed:
                return True
            raise NotAllowed("pages from other sites may not call this server", hint="server.cors_origins lists others")
        # An image or a script that another site's page embeds has no origin, but browsers say where it is asked from.
        asked_from = headers.get(b"sec-fetch-site", b"none")
        followed = headers.get(b"sec-fetch-mode") == b"navigate" and scope.get("method") == "GET"
        if asked_from not in (b"none", b"same-origin") and not followed:
            raise NotAllowed("pages from other sites may not call this server", hint="server.cors_origins lists others")
        return False

    def _is_ours(self, host: str | None) -> bool:
        if host is None:
            return False
        if host in self._names or host in self._addresses:
            return True
        if time.monotonic() - self._looked_at > LOOKED_EVERY_S:  # a router may have given us another address
            self._addresses, self._looked_at = frozenset(lan.addresses()), time.monotonic()
        return host in self._addresses
