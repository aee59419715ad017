"""Who has the body. One call moves the robot at a time.

Calls of the same turn come one after the other. A person's newer turn takes the body from whoever has it; programs and
background tasks wait until it is free.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from reachy_mind.errors import RobotBusy
from reachy_mind.tools.context import Caller

URGENT = ("person", "brain")
WAIT_S = 60.0


@dataclass
class _Holder:
    caller: Caller
    give_way: Callable[[], None]


class Body:
    """A lock with manners."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._holder: _Holder | None = None
        self._newest_turn = ""

    @contextlib.asynccontextmanager
    async def held(self, caller: Caller, give_way: Callable[[], None]) -> AsyncIterator[None]:
        """The body, for the time of an `async with`; `give_way` is called when somebody else is to have it.

        Raises RobotBusy when it did not become free.
        """
        holder = self._holder
        if caller.kind in URGENT:
            if holder is not None and (holder.caller.turn != caller.turn or not caller.turn):
                holder.give_way()
            self._newest_turn = caller.turn
        try:
            await asyncio.wait_for(self._lock.acquire(), WAIT_S)
        except TimeoutError:
            raise RobotBusy("something else moves the robot", hint="stop it first, or wait") from None
        try:
            if caller.kind in URGENT and caller.turn != self._newest_turn:
                raise RobotBusy("a newer command came meanwhile", hint="ask for it again")
            self._holder = _Holder(caller, give_way)
            yield
        finally:
            self._holder = None
            self._lock.release()
