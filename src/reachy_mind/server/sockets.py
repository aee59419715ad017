"""`Sockets`: those that are open. So many and no more; closed when the token behind one is gone, and when we end.

A stream (of pictures, of an MCP session) ends with its token too; at our end it is `Draining` that ends it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from reachy_mind import log
from reachy_mind.ending import ended
from reachy_mind.errors import MindError
from reachy_mind.server.draining import WATCHING, unless
from reachy_mind.server.limits import caller
from reachy_mind.server.refusals import Refusals
from reachy_mind.server.visitors import Visitor, visitor_of
from reachy_mind.tokens import Tokens
from reachy_mind.tools.tasks import TooMany

MOST_SOCKETS, MOST_OF_ONE = 256, 160
LOOKED_EVERY_S = 5.0
CLOSES_S = 1.0
"""Nothing more can be told to a reader that does not read."""
GOING_AWAY, NOT_ANY_MORE = 1001, 1008

_log = log.get(__name__)


@dataclass(eq=False)
class _Open:
    """One of them; what is sent after its end goes nowhere."""

    send: Any
    visitor: Visitor
    caller: str
    serving: asyncio.Task[Any] | None
    accepted: bool = False
    over: bool = False

    async def tell(self, message: Any) -> None:
        if not self.over:
            self.accepted = self.accepted or message["type"] == "websocket.accept"
            self.over = message["type"] == "websocket.close"
            await self.send(message)

    async def close(self, code: int, reason: str) -> None:
        if not self.accepted:
            return
        try:
            async with asyncio.timeout(CLOSES_S):
                with contextlib.suppress(OSError, RuntimeError):
                    await self.tell({"type": "websocket.close", "code": code, "reason": reason})
        except TimeoutError:
            if self.serving is not None:
                self.serving.cancel()


@dataclass(eq=False)
class _Stream:
    """What a request watches."""

    token: str
    over: asyncio.Event = field(default_factory=asyncio.Event)


class Sockets:
    """Wraps an ASGI app; use as an async context manager while it serves."""

    def __init__(self, app: Any, tokens: Tokens, refusals: Refusals) -> None:
        self._app, self._tokens, self._refusals = app, tokens, refusals
        self._open: set[_Open] = set()
        self._streams: set[_Stream] = set()
        self._watching: asyncio.Task[None] | None = None
        self.ending = ""
        """Why there are no new ones any more."""

    @property
    def count(self) -> int:
        return len(self._open)

    async def __aenter__(self) -> None:
        self._watching = asyncio.create_task(self._watch(), name="sockets")

    async def __aexit__(self, *_: object) -> None:
        assert self._watching is not None
        await ended(self._watching)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        visitor = visitor_of(scope)
        if scope["type"] == "http" and visitor.id and scope["method"] in WATCHING:
            await self._watched(_Stream(visitor.id), scope, receive, send)
            return
        if scope["type"] != "websocket":
            await self._app(scope, receive, send)
            return
        one = _Open(send, visitor, caller(scope), asyncio.current_task())
        same = sum(other.caller == one.caller for other in self._open)
        if self.ending or self.count >= MOST_SOCKETS or same >= MOST_OF_ONE:
            error = TooMany(self.ending or "too many sockets are open", hint="try again later")
            await self._refusals.answer(error, scope, receive, send)
            return
        self._open.add(one)
        try:
            await self._app(scope, receive, one.tell)
        except asyncio.CancelledError:
            pass  # the server's end does this, or `close`, to a reader that says no goodbye in time: nothing is wrong
        finally:
            self._open.discard(one)

    async def end(self, reason: str) -> None:
        """Close all of them."""
        self.ending = reason
        await _close(tuple(self._open), GOING_AWAY, reason)

    async def _watched(self, one: _Stream, scope: Any, receive: Any, send: Any) -> None:
        self._streams.add(one)
        try:
            await self._app(scope, lambda: unless(one.over, receive), send)
        finally:
            self._streams.discard(one)

    async def _watch(self) -> None:
        """A token that is revoked, or whose time is over, opens nothing any more: what it opened is closed."""
        while True:
            await asyncio.sleep(LOOKED_EVERY_S)
            if not self._streams and not any(one.visitor.id for one in self._open):
                continue
            try:
                good = {token.id for token in self._tokens.all() if not token.expired}
            except MindError as error:
                _log.error("tokens can't be checked", reason=error.message)
                good = set()
            for stream in self._streams:
                if stream.token not in good:
                    stream.over.set()
            gone = [one for one in self._open if one.visitor.id and one.visitor.id not in good]
            await _close(gone, NOT_ANY_MORE, "the token or login was revoked")


async def _close(ones: Iterable[_Open], code: int, reason: str) -> None:
    """One that fails keeps none of the others open."""
    outcomes = await asyncio.gather(*(one.close(code, reason) for one in ones), return_exceptions=True)
    for error in outcomes:
        if isinstance(error, BaseException):
            _log.warning("a socket could not be closed", error=type(error).__name__)
