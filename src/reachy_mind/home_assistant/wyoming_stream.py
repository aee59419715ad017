"""Wyoming events on a TCP connection, with limits: a peer is not authenticated.

An event is a line of JSON, perhaps more JSON, and perhaps bytes. The types are those of the `wyoming` package; reading
is ours, because the package takes in any length.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from wyoming.event import Event, async_write_event

from reachy_mind.errors import InvalidParameter, LinkLost

MAX_LINE, MAX_DATA, MAX_PAYLOAD = 64 << 10, 256 << 10, 1 << 20
BODY_TIMEOUT_S, WRITE_TIMEOUT_S = 15.0, 15.0
"""For the rest of an event after its line, and for a peer that does not read."""


class WyomingStream:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._writing = asyncio.Lock()

    async def read(self) -> Event | None:
        """The next event; None at the end. Raises InvalidParameter for what is none."""
        try:
            line = await self._reader.readline()
            if not line:
                return None
            head = _object(line)
            sizes = [_size(head, "data_length", MAX_DATA), _size(head, "payload_length", MAX_PAYLOAD)]
            async with asyncio.timeout(BODY_TIMEOUT_S):
                data, payload = [await self._reader.readexactly(size) if size else b"" for size in sizes]
        except TimeoutError:
            raise InvalidParameter("an event that did not arrive in time") from None
        except (asyncio.IncompleteReadError, ConnectionError):
            return None
        except ValueError:  # of a line that is too long
            raise InvalidParameter("a line that is too long", hint=f"at most {MAX_LINE >> 10} KiB") from None
        about = head.get("data")
        found = (about if isinstance(about, dict) else {}) | (_object(data) if data else {})
        if not isinstance(head.get("type"), str):
            raise InvalidParameter("an event without a type")
        return Event(head["type"], found, payload or None)

    async def write(self, event: Event) -> None:
        """Raises LinkLost for a peer that has gone, or does not read."""
        try:
            async with self._writing, asyncio.timeout(WRITE_TIMEOUT_S):
                await async_write_event(event, self._writer)
        except (TimeoutError, ConnectionError, RuntimeError) as error:
            raise LinkLost(f"the Wyoming peer does not read: {type(error).__name__}") from None

    async def aclose(self) -> None:
        self._writer.close()
        try:
            async with asyncio.timeout(1.0):
                await self._writer.wait_closed()
        except (TimeoutError, OSError):
            self._writer.transport.abort()


def _object(text: bytes) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidParameter("a line that is no JSON") from None
    if not isinstance(found, dict):
        raise InvalidParameter("a line that is no JSON object")
    return found


def _size(head: dict[str, Any], name: str, most: int) -> int:
    size = head.get(name) or 0
    if not isinstance(size, int) or not 0 <= size <= most:
        raise InvalidParameter(f"{name} is {str(size)[:20]}", hint=f"at most {most >> 10} KiB")
    return size
