"""Who has the body. One call moves the robot at a time.

Calls of the same turn come one after the other. A person's newer turn takes the body from whoever has it; programs and
background tasks wait until it is free. A tool that is called by one that has the body moves as part of it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextvars import ContextVar
from dataclasses import dataclass, replace

from reachy_mind.errors import Cancelled, RobotBusy
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
        self.stops = 0
        """How many there were: a call that began before the last one does not get the body any more."""

    def halt(self) -> None:
        """A stop: whoever has the body gives it up, and whoever waits for it does not get it any more."""
        self.stops += 1
        if self._holder is not None:
            self._holder.give_way()

    @contextlib.asynccontextmanager
    async def held(self, caller: Caller, give_way: Callable[[], None], stops: int) -> AsyncIterator[None]:
        """The body, for the time of an `async with`; `give_way` is called when somebody else is to have it.

        `stops` is what was counted when the call began. Raises Cancelled when one came since, RobotBusy when the body
        did not become free.
        """
        holder = self._holder
        if caller.kind in URGENT:
            if holder is not None and (holder.caller.turn != caller.turn or not caller.turn):
                holder.give_way()
            self._newest_turn = caller.turn
        try:
            async with asyncio.timeout(WAIT_S):
                await self._lock.acquire()
        except TimeoutError:
            raise RobotBusy("something else moves the robot", hint="stop it first, or wait") from None
        try:
            if stops != self.stops:
                raise Cancelled("a stop came meanwhile", hint="ask for it again")
            if caller.kind in URGENT and caller.turn != self._newest_turn:
                raise RobotBusy("a newer command came meanwhile", hint="ask for it again")
            self._holder = _Holder(caller, give_way)
            yield
        finally:
            self._holder = None
            self._lock.release()


class Hold:
    """The body for the rest of a call, from its first `take` on: for whoever finds out on the way that it moves."""

    def __init__(self, body: Body, caller: Caller, give_way: Callable[[], None], stops: int) -> None:
        self._body, self._caller, self._give_way, self._stops = body, caller, give_way, stops
        self._outer = around.get()
        self._once = asyncio.Lock()
        self._taken: contextlib.AbstractAsyncContextManager[None] | None = None
        self._over = False

    @property
    def has(self) -> bool:
        """Whether the body is ours, or that of the call we are part of."""
        return self._taken is not None or (self._outer is not None and self._outer.has)

    async def take(self) -> None:
        """Have the body; does nothing when we have it. Raises RobotBusy, also when the call has ended meanwhile."""
        async with self._once:
            if not self.has and not self._over:
                taken = self._body.held(self._caller, self._give_way, self._stops)
                await taken.__aenter__()
                self._taken = taken
        if self._over:
            await self.release()
            raise RobotBusy("this call has ended", hint="a call moves the robot only while it lasts")

    async def release(self) -> None:
        """The end of the call."""
        self._over = True
        taken, self._taken = self._taken, None
        if taken is not None:
            await taken.__aexit__(None, None, None)

    def beside(self, give_way: Callable[[], None]) -> Hold:
        """The same body, for what goes on in the background when the call has ended."""
        hold = Hold(self._body, replace(self._caller, kind="background"), give_way, self._body.stops)
        hold._outer = None
        return hold


around: ContextVar[Hold | None] = ContextVar("around", default=None)
"""The hold of the call that runs here: tools it calls are part of it."""
