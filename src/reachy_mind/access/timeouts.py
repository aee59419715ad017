"""`HttpProtocol`: uvicorn's HTTP/1.1 protocol with a header timeout, connection limits and our form of errors."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from reachy_mind.access.connection_slots import MAX_CONNECTIONS, ConnectionSlots, Slot, stop_only

HEADER_TIMEOUT_S = 10.0
"""From the start of a connection, or of a request on it, to the end of the request's headers."""
MAX_HEADER_BYTES = 32 << 10

_slots = {side: ConnectionSlots(side) for side in MAX_CONNECTIONS}


class HttpProtocol(H11Protocol):
    """One connection."""

    _header_timer: asyncio.TimerHandle | None = None
    _slot: Slot | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._slot = self._slots.take(self)
        if self._slot is None:
            transport.abort()
            return
        if self._slot == "reserved":
            self.app = stop_only(self.app)
        self._start_timer()

    @property
    def address(self) -> str:
        return self.client[0] if self.client else "?"

    def abort(self) -> None:
        """Close it at once: another connection needs its slot."""
        self._stop_timer()
        self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        self._slots.release(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._header_timer is None and self.conn.their_state is h11.IDLE:
            self._start_timer()
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE and self.conn.our_state is not h11.DONE:
            self._stop_timer()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._slot == "reserved":
            self.transport.close()
        elif self.conn.their_state is h11.SEND_BODY and self._header_timer is None:
            self._start_timer()  # nobody reads the rest of the body: it must not keep the connection open

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        self._stop_timer()
        if self._slot == "reserved":
            self.transport.abort()
            return
        self._slots.release(self)  # from here on `OpenConnections` counts it
        super().handle_websocket_upgrade(event)

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 -- uvicorn's own message
        """In the form that all our errors have."""
        error = {"code": "INVALID_PARAMETER", "message": "this is not a valid HTTP request", "hint": "see /docs"}
        self._respond(400, error)

    @property
    def _slots(self) -> ConnectionSlots:
        return _slots[self.scheme or "http"]

    def _start_timer(self) -> None:
        self._header_timer = self.loop.call_later(HEADER_TIMEOUT_S, self._time_out)
        self._slots.waits(self, waits=True)

    def _stop_timer(self) -> None:
        if self._header_timer is not None:
            self._header_timer.cancel()
            self._header_timer = None
            self._slots.waits(self, waits=False)

    def _time_out(self) -> None:
        self._header_timer = None
        if self.transport.is_closing():
            return
        if self.conn.our_state is h11.IDLE and self.conn.trailing_data[0]:
            message, hint = "the request did not arrive in time", f"within {HEADER_TIMEOUT_S:g} s"
            self._respond(408, {"code": "TIMEOUT", "message": message, "hint": hint})
        else:
            self.transport.close()

    def _respond(self, status: int, error: dict[str, Any]) -> None:
        body = json.dumps({"error": error}).encode()
        headers = [("content-type", "application/json"), ("content-length", str(len(body))), ("connection", "close")]
        for event in (h11.Response(status_code=status, headers=headers), h11.Data(data=body), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
