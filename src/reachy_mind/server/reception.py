"""`Reception`: finds out who a visitor is, and lets in whoever may come in at all.

    a bearer token      a program: one of `tokens`, or that of `run/mind.json`, which our own commands show
    a cookie            a browser that logged in; what it changes, and its sockets, must come from our own page (CSRF)
    neither             on this machine, its programs and our page, unless `server.require_token` is set

Programs of this machine are not told apart: what another user runs on it is let in too where no token is required.
"""

from __future__ import annotations

import asyncio
import hmac
from typing import Any

from fastapi.responses import RedirectResponse
from starlette.requests import cookie_parser

from reachy_mind import log, owner
from reachy_mind.config import Configuration
from reachy_mind.ending import ended
from reachy_mind.errors import ConfigError, MindError
from reachy_mind.server.origins import FOREIGN, is_far
from reachy_mind.server.refusals import Refusals
from reachy_mind.server.visitors import NEEDED, OPEN, VISITOR, NotAllowed, Unknown, Visitor
from reachy_mind.tokens import LOCK_S, PERSON, Token, Tokens, stale

SAFE = ("GET", "HEAD", "OPTIONS")
ALL = frozenset(PERSON)
_OPEN_PATHS = frozenset(route.partition(" ")[2] for route in NEEDED[OPEN])

_log = log.get(__name__)


class Reception:
    """Wraps an ASGI app; use as an async context manager while it serves.

    `within`: it is called by the very process it runs in, for its own user.
    """

    def __init__(
        self, app: Any, configuration: Configuration, tokens: Tokens, refusals: Refusals, *, within: bool = False
    ) -> None:
        self._app, self._refusals, self._tokens = app, refusals, tokens
        self._owner = owner.Announcement(configuration.home)
        self._requires = configuration.settings.server.require_token and not within
        self._used: dict[str, Token] = {}
        self._noting: asyncio.Task[None] | None = None

    async def __aenter__(self) -> None:
        return None

    async def __aexit__(self, *_: object) -> None:
        if self._noting is not None:
            await asyncio.wait([self._noting], timeout=LOCK_S)
            await ended(self._noting)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        try:
            visitor = self._visitor(scope)
            if visitor.kind == "nobody" and not _is_open(scope["path"]):
                if _opens_page(scope):
                    await RedirectResponse("/login", 303)(scope, receive, send)
                    return
                hint = "reachy-mind token new NAME, then Authorization: Bearer TOKEN; browsers: reachy-mind token login"
                raise Unknown("a token is needed here", hint=hint)
        except ConfigError as error:
            _log.error("nobody can be let in", reason=error.message, hint=error.hint)
            unsure = Unknown("no token can be checked just now", hint="see the mind's log")
            await self._refusals.answer(unsure, scope, receive, send)
            return
        except MindError as error:
            await self._refusals.answer(error, scope, receive, send)
            return
        scope[VISITOR] = visitor
        await self._app(scope, receive, send)

    def _visitor(self, scope: Any) -> Visitor:
        """Raises Unknown for a token that does not count, NotAllowed for a page that is not ours."""
        headers = dict(scope["headers"])
        bearer = _bearer(headers)
        if bearer:
            return self._program(bearer, far=is_far(scope))
        if scope[FOREIGN]:
            return Visitor()
        free = not is_far(scope) and not self._requires
        try:
            token = self._cookie(headers, cookie_name(scope))
        except ConfigError as error:
            if not free:
                raise
            _log.warning("a login can't be checked, and is not needed here", reason=error.message)
            token = None
        if token is not None:
            _same_page(scope, headers)
            self._note(token)
            return Visitor("browser", token.id, token.name, frozenset(token.scopes))
        if free:
            return Visitor("local", "", "this machine", ALL)
        return Visitor()

    def _program(self, bearer: str, *, far: bool) -> Visitor:
        if not bearer.startswith("rm_") and not far:
            running = self._owner.read()
            if running is not None and hmac.compare_digest(running.token.encode(), bearer.encode()):
                return Visitor("owner", "", "reachy-mind", ALL)
        token = self._tokens.known(bearer)
        if token is None:
            raise Unknown("this token is not known", hint="it may have been revoked: reachy-mind token list")
        if token.expired:
            raise Unknown(f"the time of the token {token.name} is over", hint="reachy-mind token new NAME --days N")
        self._note(token)
        return Visitor("program", token.id, token.name, frozenset(token.scopes))

    def _cookie(self, headers: dict[bytes, bytes], name: str) -> Token | None:
        # Not Python's own reader, which drops all of them for an odd one of another program on this host.
        kept = cookie_parser(headers.get(b"cookie", b"").decode("latin-1")).get(name)
        token = self._tokens.known(kept, "browser") if kept is not None else None
        return token if token is not None and not token.expired else None

    def _note(self, token: Token) -> None:
        """Beside the request, which may be a stop: it takes a lock and a disk."""
        if stale(token):
            self._used.setdefault(token.id, token)
            if self._noting is None or self._noting.done():
                self._noting = asyncio.create_task(self._note_all(), name="tokens used")

    async def _note_all(self) -> None:
        while self._used:
            token = next(iter(self._used.values()))
            try:
                await asyncio.to_thread(self._tokens.used, token)
            except MindError as error:
                _log.warning("when a token was used could not be kept", reason=error.message)
            finally:
                del self._used[token.id]


def cookie_name(scope: Any) -> str:
    """Browsers tell hosts apart, not ports; over TLS they keep one of this name for the very host that set it."""
    port = (scope.get("server") or ("", 0))[1]
    return f"__Host-reachy_mind_{port}" if is_far(scope) else f"reachy_mind_{port}"


def _is_open(path: str) -> bool:
    return path in _OPEN_PATHS or path.startswith("/web/")


def _opens_page(scope: Any) -> bool:
    """A person's browser that opens the page itself."""
    accepts = dict(scope["headers"]).get(b"accept", b"")
    return scope["type"] == "http" and scope["method"] == "GET" and scope["path"] == "/" and b"text/html" in accepts


def _same_page(scope: Any, headers: dict[bytes, bytes]) -> None:
    """Origins are those of ours here: what other pages send was refused, and may only be without one."""
    if scope.get("method") in SAFE or b"origin" in headers or headers.get(b"sec-fetch-site") == b"same-origin":
        return
    raise NotAllowed("a login counts only on our own page", hint="programs show a token: reachy-mind token new NAME")


def _bearer(headers: dict[bytes, bytes]) -> str:
    kind, _, text = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
    return text.strip() if kind.lower() == "bearer" else ""
