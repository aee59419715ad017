"""`Authentication`: ASGI middleware that identifies the caller of each request and rejects unknown ones.

    a bearer token      a program: a token of `Tokens`, or the one in `run/mind.json`, which our own commands send
    a cookie            a browser that logged in; its writes and WebSockets must come from our own page (CSRF)
    neither             local programs and our page on loopback, unless `server.require_token` is set

Local users are not told apart: without `require_token`, a program of another user on this machine gets in too.
"""

from __future__ import annotations

import asyncio
import hmac
from typing import Any

from fastapi.responses import RedirectResponse
from starlette.requests import cookie_parser

from reachy_mind import log
from reachy_mind.access.authorization import (
    PRINCIPAL,
    PUBLIC,
    ROUTE_SCOPES,
    NotAllowed,
    Principal,
    Unauthenticated,
    serving,
)
from reachy_mind.access.error_body import is_compatible
from reachy_mind.access.origins import CROSS_ORIGIN, is_from_network
from reachy_mind.access.rejections import Rejections
from reachy_mind.access.tokens import BROWSER_SCOPES, LOCK_TIMEOUT_S, Token, Tokens, last_use_is_stale
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import ConfigError, MindError
from reachy_mind.storage import owner

KEY_PROTOCOL = "openai-insecure-api-key."
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
ALL_SCOPES = frozenset(BROWSER_SCOPES)
_PUBLIC_PATHS = frozenset(route.partition(" ")[2] for route in ROUTE_SCOPES[PUBLIC])

_log = log.get(__name__)


class Authentication:
    """Wraps an ASGI app; use as an async context manager while it serves.

    `in_process`: the app is called by its own process, so `server.require_token` does not apply.
    """

    def __init__(
        self,
        app: Any,
        configuration: Configuration,
        tokens: Tokens,
        rejections: Rejections,
        *,
        in_process: bool = False,
    ) -> None:
        self._app, self._rejections, self._tokens = app, rejections, tokens
        self._owner = owner.OwnerRecord(configuration.home)
        self._requires_token = configuration.settings.server.require_token and not in_process
        self._used: dict[str, Token] = {}
        self._recording: asyncio.Task[None] | None = None

    async def __aenter__(self) -> None:
        return None

    async def __aexit__(self, *_: object) -> None:
        if self._recording is not None:
            await asyncio.wait([self._recording], timeout=LOCK_TIMEOUT_S)
            await cancel_and_wait(self._recording)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        try:
            principal = self._identify(scope)
            if principal.kind == "nobody" and not _is_public(scope["path"]):
                if _is_page_visit(scope):
                    await RedirectResponse("/login", 303)(scope, receive, send)
                    return
                hint = "reachy-mind token new NAME, then Authorization: Bearer TOKEN; browsers: reachy-mind token login"
                raise Unauthenticated("a token is needed here", hint=hint)
        except ConfigError as error:
            _log.error(
                "tokens can't be checked: every caller that needs one is rejected",
                reason=error.message,
                hint=error.hint,
            )
            unchecked = Unauthenticated("tokens can't be checked just now", hint="see the mind's log")
            await self._rejections.reject(unchecked, scope, receive, send)
            return
        except MindError as error:
            await self._rejections.reject(error, scope, receive, send)
            return
        scope[PRINCIPAL] = principal
        with serving(principal):
            await self._app(scope, receive, send)

    def _identify(self, scope: Any) -> Principal:
        """Raises Unauthenticated for an unknown or expired token, NotAllowed for a cookie from another site's page."""
        headers = dict(scope["headers"])
        bearer = _bearer(headers, scope)
        if bearer and not self._is_placeholder(bearer, scope):
            return self._identify_program(bearer, local=not is_from_network(scope))
        if scope[CROSS_ORIGIN]:
            return Principal()
        needs_no_token = not is_from_network(scope) and not self._requires_token
        try:
            token = self._token_of_cookie(headers, cookie_name(scope))
        except ConfigError as error:
            if not needs_no_token:
                raise
            _log.warning("a login can't be checked; none is needed here", reason=error.message)
            token = None
        if token is not None:
            _check_csrf(scope, headers)
            self._note_use(token)
            return Principal("browser", token.id, token.name, frozenset(token.scopes))
        if needs_no_token:
            return Principal("local", "", "this machine", ALL_SCOPES)
        return Principal()

    def _is_placeholder(self, bearer: str, scope: Any) -> bool:
        """Whether a local program sends any text in place of a token, where none is needed: clients of the OpenAI API
        can't leave it out."""
        needs_no_token = not is_from_network(scope) and not self._requires_token
        return needs_no_token and is_compatible(scope["path"]) and not bearer.startswith("rm_")

    def _identify_program(self, bearer: str, *, local: bool) -> Principal:
        if local and not bearer.startswith("rm_"):
            running = self._owner.read()
            if running is not None and hmac.compare_digest(running.token.encode(), bearer.encode()):
                return Principal("owner", "", "reachy-mind", ALL_SCOPES)
        token = self._tokens.find(bearer)
        if token is None:
            raise Unauthenticated("unknown token", hint="it may have been revoked: reachy-mind token list")
        if token.expired:
            raise Unauthenticated(f"the token {token.name} has expired", hint="reachy-mind token new NAME --days N")
        self._note_use(token)
        return Principal("program", token.id, token.name, frozenset(token.scopes))

    def _token_of_cookie(self, headers: dict[bytes, bytes], name: str) -> Token | None:
        # Not http.cookies: it drops all cookies when another program on this host has set one it can't parse.
        value = cookie_parser(headers.get(b"cookie", b"").decode("latin-1")).get(name)
        token = self._tokens.find(value, "browser") if value is not None else None
        return token if token is not None and not token.expired else None

    def _note_use(self, token: Token) -> None:
        """Record `last_used` in a background task: it takes a file lock, and the request may be a stop."""
        if last_use_is_stale(token):
            self._used.setdefault(token.id, token)
            if self._recording is None or self._recording.done():
                self._recording = asyncio.create_task(self._record_uses(), name="token uses")

    async def _record_uses(self) -> None:
        while self._used:
            token = next(iter(self._used.values()))
            try:
                await asyncio.to_thread(self._tokens.record_use, token)
            except MindError as error:
                _log.warning("the last use of a token could not be recorded", reason=error.message)
            finally:
                del self._used[token.id]


def cookie_name(scope: Any) -> str:
    """Cookies are per host, not per port, so the name has the port; over TLS `__Host-` binds it to the exact host."""
    port = (scope.get("server") or ("", 0))[1]
    return f"__Host-reachy_mind_{port}" if is_from_network(scope) else f"reachy_mind_{port}"


def _is_public(path: str) -> bool:
    return path in _PUBLIC_PATHS or path.startswith("/web/")


def _is_page_visit(scope: Any) -> bool:
    """Whether a browser opens the page itself: it is redirected to the login."""
    accepts = dict(scope["headers"]).get(b"accept", b"")
    return scope["type"] == "http" and scope["method"] == "GET" and scope["path"] == "/" and b"text/html" in accepts


def _check_csrf(scope: Any, headers: dict[bytes, bytes]) -> None:
    """Raises NotAllowed. An origin here is our own: `OriginMiddleware` has rejected every other one."""
    if scope.get("method") in SAFE_METHODS or b"origin" in headers or headers.get(b"sec-fetch-site") == b"same-origin":
        return
    raise NotAllowed(
        "a login cookie is valid only on our own page", hint="programs send a token: reachy-mind token new NAME"
    )


def _bearer(headers: dict[bytes, bytes], scope: Any) -> str:
    kind, _, text = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
    if not kind and scope["type"] == "websocket" and is_compatible(scope["path"]):
        # a page can send no headers with a WebSocket: OpenAI's clients then name the key as a subprotocol
        offered = (each.strip() for each in headers.get(b"sec-websocket-protocol", b"").decode("latin-1").split(","))
        return next((each.removeprefix(KEY_PROTOCOL) for each in offered if each.startswith(KEY_PROTOCOL)), "")
    return text.strip() if kind.lower() == "bearer" else ""
