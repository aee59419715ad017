"""`BrowserOrigins`: ASGI middleware that refuses pages of other sites, and names that are not ours (DNS rebinding).

Only browsers are checked, by the headers that they always send and programs don't: a program or device needs no cookie
and calls by whatever name leads here.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any, Final
from urllib.parse import urlsplit

from fastapi.responses import JSONResponse

from reachy_mind.access import lan
from reachy_mind.access.authorization import NotAllowed
from reachy_mind.access.loopback import host_of, is_loopback

ADDRESS_REFRESH_S: Final = 5.0


class BrowserOrigins:
    """Wraps an ASGI app. `public_url`: where browsers reach it; `names`: other host names of it."""

    def __init__(self, app: Any, public_url: str, names: Iterable[str] = ()) -> None:
        self._app = app
        public = urlsplit(public_url)
        self._public = f"{public.scheme}://{public.netloc}".encode()
        self._names = {*lan.names(names), *([public.hostname] if public.hostname else [])}
        self._addresses: frozenset[str] = frozenset()
        self._refreshed_at = -ADDRESS_REFRESH_S

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            refusal = self._refusal(scope, dict(scope["headers"]))
            if refusal is not None:
                await JSONResponse({"error": refusal.as_dict()}, 403, {"Connection": "close"})(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _refusal(self, scope: Any, headers: dict[bytes, bytes]) -> NotAllowed | None:
        origin, site = headers.get(b"origin"), headers.get(b"sec-fetch-site")
        if origin is None and site is None:
            return None
        host = headers.get(b"host", b"")
        if not self._is_ours(host_of(host.decode("latin-1"))):
            return NotAllowed("this host name is not ours", hint="call it by its address, or add it to fleet.names")
        elsewhere = NotAllowed("pages from other sites may not call this server", hint="open its own page")
        if origin is not None:
            own = origin in (self._public, scope["scheme"].encode() + b"://" + host)
            return None if own else elsewhere
        # An image or script embedded in another site's page has no Origin, but browsers send Sec-Fetch-Site.
        is_link = headers.get(b"sec-fetch-mode") == b"navigate" and scope["method"] == "GET"
        return None if is_link or site in (b"none", b"same-origin") else elsewhere

    def _is_ours(self, host: str | None) -> bool:
        if host is None:
            return False
        if is_loopback(host) or host in self._names or host in self._addresses:
            return True
        if time.monotonic() - self._refreshed_at > ADDRESS_REFRESH_S:  # DHCP may have assigned another one
            self._addresses, self._refreshed_at = frozenset(lan.addresses()), time.monotonic()
        return host in self._addresses
