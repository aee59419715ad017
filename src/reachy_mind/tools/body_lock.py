"""`BodyLock`: one call moves the robot at a time. A lock with preemption and a timeout.

Calls of the same turn run one after the other. A person's newer turn preempts the current holder; programs and
background tasks wait for the lock. A tool called by one that holds the body moves as part of it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextvars import ContextVar
from dataclasses import dataclass, replace

from reachy_mind.errors import Cancelled, RobotBusy
from reachy_mind.tools.context import Caller

PREEMPTING = ("person", "brain")
BODY_LOCK_TIMEOUT_S = 60.0


@dataclass
class _Holder:
    caller: Caller
    preempt: Callable[[], object]


class BodyLock:
    """The lock on the robot's body."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._holder: _Holder | None = None
        self._newest_turn = ""
        self.stops = 0
        """Number of stops so far: a call that began before the last stop does not get the body."""

    @property
    def held(self) -> bool:
        return self._holder is not None

    def halt(self) -> None:
        """A stop: preempt the holder, and refuse the body to every waiting call."""
        self.stops += 1
        if self._holder is not None:
            self._holder.preempt()

    @contextlib.asynccontextmanager
    async def acquired(self, caller: Caller, preempt: Callable[[], object], stops: int) -> AsyncIterator[None]:
        """Hold the body during an `async with`; `preempt` is called when another caller takes it.

        `stops` is the count when the call began. Raises Cancelled when a stop came since, RobotBusy on timeout.
        """
        holder = self._holder
        if caller.kind in PREEMPTING:
            if holder is not None and (holder.caller.turn != caller.turn or not caller.turn):
                holder.preempt()
            self._newest_turn = caller.turn
        try:
            async with asyncio.timeout(BODY_LOCK_TIMEOUT_S):
                await self._lock.acquire()
        except TimeoutError:
            raise RobotBusy("something else moves the robot", hint="stop it first, or wait") from None
        try:
            if stops != self.stops:
                raise Cancelled("a stop came meanwhile", hint="ask for it again")
            if caller.kind in PREEMPTING and caller.turn != self._newest_turn:
                raise RobotBusy("a newer command came meanwhile", hint="ask for it again")
            self._holder = _Holder(caller, preempt)
            yield
        finally:
            self._holder = None
            self._lock.release()


class Hold:
    """The body for the rest of a call, from its first `take` on: for a tool that decides to move while it runs."""

    def __init__(self, body: BodyLock, caller: Caller, preempt: Callable[[], object], stops: int) -> None:
        self._body, self._caller, self._preempt, self._stops = body, caller, preempt, stops
        self._outer = current_hold.get()
        self._once = asyncio.Lock()
        self._taken: contextlib.AbstractAsyncContextManager[None] | None = None
        self._over = False

    @property
    def has(self) -> bool:
        """Whether this call, or the call it is nested in, holds the body."""
        return self._taken is not None or (self._outer is not None and self._outer.has)

    async def take(self) -> None:
        """Acquire the body, unless held already. Raises RobotBusy, also when the call has ended meanwhile."""
        async with self._once:
            if not self.has and not self._over:
                taken = self._body.acquired(self._caller, self._preempt, self._stops)
                await taken.__aenter__()
                self._taken = taken
        if self._over:
            await self.release()
            raise RobotBusy("this call has ended", hint="a call moves the robot only while it lasts")

    async def release(self) -> None:
        """Release the body at the end of the call."""
        self._over = True
        taken, self._taken = self._taken, None
        if taken is not None:
            await taken.__aexit__(None, None, None)

    def for_background(self, preempt: Callable[[], object]) -> Hold:
        """A hold for a background task that outlives the call."""
        hold = Hold(self._body, replace(self._caller, kind="background"), preempt, self._body.stops)
        hold._outer = None
        return hold


current_hold: ContextVar[Hold | None] = ContextVar("current_hold", default=None)
"""The hold of the running call. Nested calls use it."""
