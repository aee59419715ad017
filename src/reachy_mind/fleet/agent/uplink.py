"""`AgentUplink`: where the agent's events go: into the outbox of the device's store, as soon as there is one."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any

from reachy_mind.fleet.device.outbox import Outbox, OutboxTotals
from reachy_mind.storage.database import DatabaseError


class AgentUplink:
    """`hurry` is called when something was accepted that should not wait for the next attempt to connect."""

    def __init__(self) -> None:
        self.hurry: Callable[[], None] = lambda: None
        self._outbox: Outbox | None = None
        self._attached = asyncio.Event()
        self._watchers: set[asyncio.Event] = set()

    @contextlib.contextmanager
    def attached(self, outbox: Outbox) -> Iterator[None]:
        """Events go into this outbox."""
        self._outbox = outbox
        outbox.watchers |= self._watchers
        self._attached.set()
        self.nudge()
        try:
            yield
        finally:
            outbox.watchers -= self._watchers
            self._outbox = None
            self._attached.clear()

    async def accept(self, type_: str, payload: Mapping[str, Any] | None = None, *, prio: int = 1) -> str:
        """Store an event; it is on disk when this returns its id. Waits until there is a store.

        Raises InvalidParameter, OutboxFull, DatabaseError.
        """
        while self._outbox is None:
            await self._attached.wait()
        try:
            return (await self._outbox.accept(type_, payload, prio=prio)).id
        finally:
            self.hurry()

    async def totals(self) -> OutboxTotals | None:
        """What waits; None while nobody can know."""
        if self._outbox is None:
            return None
        try:
            return await self._outbox.totals()
        except DatabaseError:
            return None

    @contextlib.asynccontextmanager
    async def watched(self) -> AsyncIterator[asyncio.Event]:
        """An event that is set whenever something was accepted, or was delivered."""
        changed = asyncio.Event()
        self._watchers.add(changed)
        if self._outbox is not None:
            self._outbox.watchers.add(changed)
        try:
            yield changed
        finally:
            self._watchers.discard(changed)
            if self._outbox is not None:
                self._outbox.watchers.discard(changed)

    def nudge(self) -> None:
        """Something changed that those who watch may wait for."""
        for watcher in self._watchers:
            watcher.set()
