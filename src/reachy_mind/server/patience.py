"""`Patience`: uvicorn's HTTP, for callers who are slow or make no sense: little time, and an answer like any other."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_S = 10.0
"""From the beginning of a connection, or of a request on it, to the end of its head."""
MOST = {"http": (448, 448), "https": (192, 64)}
"""Connections in all, and of one address: of this machine, and of its network, which can't use up those of the machine
and with them its stop. With as many sockets as there may be they stay below the 1024 files of a process."""
LARGEST_HEAD = 32 << 10

_connections: dict[str, Counter[str]] = {scheme: Counter() for scheme in MOST}


class Patience(H11Protocol):
    """A connection."""

    _giving_up: asyncio.TimerHandle | None = None
    _counted = ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        address = self.client[0] if self.client else "?"
        in_all, of_one = MOST[self._side]
        there = _connections[self._side]
        if there[address] >= of_one or there.total() >= in_all:
            transport.abort()
            return
        self._counted = address
        there[address] += 1
        self._be_patient()

    def connection_lost(self, exc: Exception | None) -> None:
        self._be_calm()
        self._leave()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._giving_up is None and self.conn.their_state is h11.IDLE:
            self._be_patient()
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE and self.conn.our_state is not h11.DONE:
            self._be_calm()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.conn.their_state is h11.SEND_BODY and self._giving_up is None:
            self._be_patient()  # nobody reads the rest of what they send: it does not keep the connection

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        self._be_calm()
        self._leave()  # from here on it is one of `Sockets`, which are counted there
        super().handle_websocket_upgrade(event)

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 -- uvicorn's own words
        """In the form that all our errors have."""
        error = {
            "code": "INVALID_PARAMETER",
            "message": "this is no HTTP request that can be read",
            "hint": "see /docs",
        }
        self._answer(400, error)

    def _leave(self) -> None:
        if self._counted:
            there = _connections[self._side]
            there[self._counted] -= 1
            if not there[self._counted]:
                del there[self._counted]
            self._counted = ""

    @property
    def _side(self) -> str:
        return self.scheme or "http"

    def _be_patient(self) -> None:
        self._giving_up = self.loop.call_later(HEAD_S, self._give_up)

    def _be_calm(self) -> None:
        if self._giving_up is not None:
            self._giving_up.cancel()
            self._giving_up = None

    def _give_up(self) -> None:
        self._giving_up = None
        if self.transport.is_closing():
            return
        if self.conn.our_state is h11.IDLE and self.conn.trailing_data[0]:
            error = {
                "code": "TIMEOUT",
                "message": "the request did not come to its end",
                "hint": f"within {HEAD_S:g} s",
            }
            self._answer(408, error)
        else:
            self.transport.close()

    def _answer(self, status: int, error: dict[str, Any]) -> None:
        body = json.dumps({"error": error}).encode()
        headers = [("content-type", "application/json"), ("content-length", str(len(body))), ("connection", "close")]
        for event in (h11.Response(status_code=status, headers=headers), h11.Data(data=body), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
