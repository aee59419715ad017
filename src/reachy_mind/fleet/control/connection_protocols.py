"""uvicorn's protocols as this server uses them: HTTP with a timeout of its headers, WebSockets with limits by path.

Thousands of devices may come from one address, so connections are not limited by address as those of a mind are. How
many there can be says the limit on open files.
"""

from __future__ import annotations

from typing import Any, Final

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from reachy_mind.access.connection_slots import Connection, ConnectionSlots, Slot
from reachy_mind.access.timeouts import HttpProtocol
from reachy_mind.fleet.control import source_socket
from reachy_mind.fleet.protocol.limits import CLOSE_TIMEOUT_S
from reachy_mind.fleet.protocol.source_messages import MAX_SOURCE_BYTES


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
    """One WebSocket. A source device sends its sound as text, and so larger messages than a device of cp1."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.close_timeout = CLOSE_TIMEOUT_S

    def handle_connect(self, event: Any) -> None:
        if event.path.partition("?")[0] == source_socket.PATH:
            self.conn.max_message_size = MAX_SOURCE_BYTES
        super().handle_connect(event)
