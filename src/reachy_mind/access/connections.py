"""`OpenConnections`: ASGI middleware that limits open WebSockets and closes them when their token is revoked or at
shutdown.

HTTP streams (pictures, MCP sessions) also end when their token is revoked; at shutdown `GracefulShutdown` ends them.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from reachy_mind import log
from reachy_mind.access.authorization import Principal, principal_of
from reachy_mind.access.graceful_shutdown import STREAMING_METHODS, receive_until
from reachy_mind.access.rate_limits import caller_key
from reachy_mind.access.rejections import Rejections
from reachy_mind.access.tokens import Tokens
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import MindError, TooMany

MAX_SOCKETS, MAX_SOCKETS_PER_CALLER = 256, 160
TOKEN_CHECK_INTERVAL_S = 5.0
CLOSE_TIMEOUT_S = 1.0
"""For the close frame to a peer that does not read; then its task is cancelled."""
GOING_AWAY, POLICY_VIOLATION = 1001, 1008
"""WebSocket close codes."""

_log = log.get(__name__)


@dataclass(eq=False)
class _OpenSocket:
    """One WebSocket; messages sent after its close are dropped."""

    send: Any
    principal: Principal
    caller: str
    serving: asyncio.Task[Any] | None
    accepted: bool = False
    closed: bool = False

    async def forward(self, message: Any) -> None:
        if not self.closed:
            self.accepted = self.accepted or message["type"] == "websocket.accept"
            self.closed = message["type"] == "websocket.close"
            await self.send(message)

    async def close(self, code: int, reason: str) -> None:
        if not self.accepted:
            return
        try:
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                with contextlib.suppress(OSError, RuntimeError):
                    await self.forward({"type": "websocket.close", "code": code, "reason": reason})
        except TimeoutError:
            if self.serving is not None:
                self.serving.cancel()


@dataclass(eq=False)
class _Stream:
    """An HTTP response that may go on for long; `revoked` ends it."""

    token_id: str
    revoked: asyncio.Event = field(default_factory=asyncio.Event)


class OpenConnections:
    """Wraps an ASGI app; use as an async context manager while it serves."""

    def __init__(self, app: Any, tokens: Tokens, rejections: Rejections) -> None:
        self._app, self._tokens, self._rejections = app, tokens, rejections
        self._sockets: set[_OpenSocket] = set()
        self._streams: set[_Stream] = set()
        self._checking: asyncio.Task[None] | None = None
        self._closing_reason = ""
        """Set at shutdown: new WebSockets are rejected with it."""

    @property
    def count(self) -> int:
        return len(self._sockets)

    async def __aenter__(self) -> None:
        self._checking = asyncio.create_task(self._check_tokens(), name="token check")

    async def __aexit__(self, *_: object) -> None:
        assert self._checking is not None
        await cancel_and_wait(self._checking)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        principal = principal_of(scope)
        if scope["type"] == "http" and principal.id and scope["method"] in STREAMING_METHODS:
            await self._serve_stream(_Stream(principal.id), scope, receive, send)
            return
        if scope["type"] != "websocket":
            await self._app(scope, receive, send)
            return
        opened = _OpenSocket(send, principal, caller_key(scope), asyncio.current_task())
        of_caller = sum(other.caller == opened.caller for other in self._sockets)
        if self._closing_reason or self.count >= MAX_SOCKETS or of_caller >= MAX_SOCKETS_PER_CALLER:
            error = TooMany(self._closing_reason or "too many sockets are open", hint="try again later")
            await self._rejections.reject(error, scope, receive, send)
            return
        self._sockets.add(opened)
        try:
            await self._app(scope, receive, opened.forward)
        except asyncio.CancelledError:
            pass  # by the server's shutdown, or by `close` for a peer that does not read: not an error
        finally:
            self._sockets.discard(opened)

    async def close_all(self, reason: str) -> None:
        """Close all WebSockets and accept no new ones."""
        self._closing_reason = reason
        await _close(tuple(self._sockets), GOING_AWAY, reason)

    async def _serve_stream(self, stream: _Stream, scope: Any, receive: Any, send: Any) -> None:
        self._streams.add(stream)
        try:
            await self._app(scope, lambda: receive_until(stream.revoked, receive), send)
        finally:
            self._streams.discard(stream)

    async def _check_tokens(self) -> None:
        """Close what was opened with a token that has expired or was revoked since."""
        while True:
            await asyncio.sleep(TOKEN_CHECK_INTERVAL_S)
            if not self._streams and not any(socket.principal.id for socket in self._sockets):
                continue
            try:
                valid = {token.id for token in self._tokens.all() if not token.expired}
            except MindError as error:
                _log.error("tokens can't be checked", reason=error.message)
                valid = set()
            for stream in self._streams:
                if stream.token_id not in valid:
                    stream.revoked.set()
            revoked = [one for one in self._sockets if one.principal.id and one.principal.id not in valid]
            await _close(revoked, POLICY_VIOLATION, "the token or login was revoked")


async def _close(sockets: Iterable[_OpenSocket], code: int, reason: str) -> None:
    """Close all of them concurrently; a failure of one does not affect the others."""
    outcomes = await asyncio.gather(*(socket.close(code, reason) for socket in sockets), return_exceptions=True)
    for error in outcomes:
        if isinstance(error, BaseException):
            _log.warning("a socket could not be closed", error=type(error).__name__)
