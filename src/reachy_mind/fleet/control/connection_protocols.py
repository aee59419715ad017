"""uvicorn's protocols as this server uses them: HTTP with a timeout of its headers, WebSockets with limits by path.

Thousands of devices may come from one address, so connections are not limited by address as those of a mind are. How
many there can be says the limit on open files.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from reachy_mind.access.connection_slots import Connection, ConnectionSlots, Slot
from reachy_mind.access.timeouts import HttpProtocol
from reachy_mind.fleet.control import source_socket
from reachy_mind.fleet.protocol.limits import CLOSE_TIMEOUT_S
from reachy_mind.fleet.protocol.source_messages import MAX_SOURCE_BYTES

ABORT_S: Final = 3 * CLOSE_TIMEOUT_S
"""After the close of a WebSocket that its peer does not read."""


class _AnyNumber(ConnectionSlots):
    """A slot for everybody."""

    def take(self, connection: Connection) -> Slot:  # noqa: ARG002 -- nobody is turned away
        return "usual"

    def release(self, connection: Connection) -> None:
        pass

    def waits(self, connection: Connection, *, waits: bool) -> None:
        pass


_slots: Final = _AnyNumber("http")


class FleetHttpProtocol(HttpProtocol):
    """One HTTP connection, before it becomes a WebSocket."""

    @property
    def _slots(self) -> ConnectionSlots:
        return _slots


class FleetSocketProtocol(WebSocketsSansIOProtocol):
    """One WebSocket. A source device sends its sound as text, and so larger messages than a device of cp1.

    A peer that does not read what was sent before its close would keep the connection and its buffers for as long as
    TCP tries, a quarter of an hour: so it is aborted soon after.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.close_timeout = CLOSE_TIMEOUT_S
        self._abort_timer: asyncio.TimerHandle | None = None

    async def send(self, message: Any) -> None:
        if message["type"] == "websocket.close":
            self._abort_soon()
        await super().send(message)

    def keepalive_timeout(self) -> None:
        super().keepalive_timeout()
        self._abort_soon()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._abort_timer is not None:
            self._abort_timer.cancel()
        super().connection_lost(exc)

    def _abort_soon(self) -> None:
        if self._abort_timer is None and not self.disconnected:
            self._abort_timer = self.loop.call_later(ABORT_S, self.transport.abort)

    def handle_connect(self, event: Any) -> None:
        if event.path.partition("?")[0] == source_socket.PATH:
            self.conn.max_message_size = MAX_SOURCE_BYTES
        super().handle_connect(event)
