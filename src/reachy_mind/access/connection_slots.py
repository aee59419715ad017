"""`ConnectionSlots`: limits on open HTTP connections, with slots kept for a stop.

When all slots are in use, the connection that has waited longest for the rest of its request is closed for a new one.
When none waits, the new connection gets a reserved slot, which serves nothing but a stop.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, Literal, Protocol

from reachy_mind.access.rate_limits import STOP_PATH

MAX_CONNECTIONS = {"http": (448, 448), "https": (192, 64)}
"""Connections in total and per address: of this machine, and of its network, which can't use up the machine's own and
with them its stop. Together with the reserved slots and the maximum of WebSockets they stay below a process's 1024 open
files."""
RESERVED = 16
"""Slots of each side that serve only a stop."""

Slot = Literal["usual", "reserved"]


class Connection(Protocol):
    """What the slots know of a connection."""

    @property
    def address(self) -> str: ...

    def abort(self) -> None: ...


class ConnectionSlots:
    """The connections of one side: `http` (this machine) or `https` (its network)."""

    def __init__(self, side: str) -> None:
        self._side = side
        self._taken: dict[Connection, Slot] = {}
        self._per_address: Counter[str] = Counter()
        self._waiting: dict[Connection, None] = {}
        """Those whose request is not complete, oldest first."""

    def __len__(self) -> int:
        return len(self._taken)

    def take(self, connection: Connection) -> Slot | None:
        """A slot for a new connection; None when there is none for it."""
        if not self._full(connection.address):
            return self._give("usual", connection)
        in_total = self._per_address.total() >= MAX_CONNECTIONS[self._side][0]
        if self._evict("usual", "" if in_total else connection.address):
            return self._give("usual", connection)
        if self._count("reserved") < RESERVED or self._evict("reserved", ""):
            return self._give("reserved", connection)
        return None

    def release(self, connection: Connection) -> None:
        """Free its slot, if it has one."""
        self._waiting.pop(connection, None)
        if self._taken.pop(connection, None) == "usual":
            self._per_address[connection.address] -= 1
            if not self._per_address[connection.address]:
                del self._per_address[connection.address]

    def waits(self, connection: Connection, *, waits: bool) -> None:
        """Note that the rest of its request is awaited, or that it has come."""
        self._waiting.pop(connection, None)
        if waits and connection in self._taken:
            self._waiting[connection] = None

    def _full(self, address: str) -> bool:
        in_total, per_address = MAX_CONNECTIONS[self._side]
        return self._per_address[address] >= per_address or self._per_address.total() >= in_total

    def _count(self, slot: Slot) -> int:
        return sum(taken == slot for taken in self._taken.values())

    def _give(self, slot: Slot, connection: Connection) -> Slot:
        self._taken[connection] = slot
        if slot == "usual":
            self._per_address[connection.address] += 1
        return slot

    def _evict(self, slot: Slot, address: str) -> bool:
        """Close the connection of this kind, and of this address if one is named, that has waited longest."""
        for connection in self._waiting:
            if self._taken[connection] == slot and address in ("", connection.address):
                self.release(connection)
                connection.abort()
                return True
        return False


def stop_only(app: Any) -> Any:
    """An ASGI app that serves a stop, and answers everything else with an error."""

    async def serve(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http" and scope["path"] == STOP_PATH:
            await app(scope, receive, send)
            return
        error = {"code": "BUSY", "message": "too many connections are open", "hint": "try again; only a stop is served"}
        body = json.dumps({"error": error}).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 503, "headers": [*headers, (b"connection", b"close")]})
        await send({"type": "http.response.body", "body": body})

    return serve
