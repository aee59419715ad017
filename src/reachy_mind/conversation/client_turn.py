"""`ClientTurn`: a turn of a program that may run tools itself: its events, with the calls that it has to make.

    turn = ClientTurn(take)
    async for event in turn.events(): ...      # Said, Called, ..., ClientCall, at last Response
    turn.answer(call_id, result)               # what the program's tool returned

The turn goes on by itself while nobody reads its events: it holds up no other turn longer than its own work takes.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.conversation.events import TurnEvent
from reachy_mind.conversation.response import Response
from reachy_mind.errors import MindError
from reachy_mind.tools.client_tools import ClientRequest, Perform


@dataclass(frozen=True)
class ClientCall:
    """A call that the program has to make."""

    call_id: str
    request: ClientRequest


ClientEvent = TurnEvent | ClientCall
Take = Callable[[Perform], AsyncGenerator[TurnEvent, None]]
"""Takes the turn, given what has the program run a tool."""


class ClientTurn:
    """Begins at once. Close it: that interrupts the turn."""

    def __init__(self, take: Take) -> None:
        self._queue: asyncio.Queue[ClientEvent | MindError] = asyncio.Queue()
        self._waiting: dict[str, asyncio.Future[Any]] = {}
        self._running = asyncio.create_task(self._run(take), name="client turn")
        self.ended = False
        """Whether its response was read."""

    @property
    def open_calls(self) -> frozenset[str]:
        """The ids of calls that have no result yet."""
        return frozenset(self._waiting)

    @property
    def pending(self) -> bool:
        """Whether there is an event to read, or one will come without the program's doing."""
        return not self._queue.empty() or (not self._running.done() and not self._waiting)

    async def _run(self, take: Take) -> None:
        try:
            async with contextlib.aclosing(take(self._perform)) as events:
                async for event in events:
                    self._queue.put_nowait(event)
        except MindError as error:
            self._queue.put_nowait(error)

    async def _perform(self, request: ClientRequest) -> Any:
        """Have the program run its tool, and wait for the result."""
        call = ClientCall(f"call_{uuid4().hex[:24]}", request)
        result = self._waiting[call.call_id] = asyncio.get_running_loop().create_future()
        self._queue.put_nowait(call)
        try:
            return await result
        finally:
            self._waiting.pop(call.call_id, None)

    def answer(self, call_id: str, result: Any) -> bool:
        """Pass on what the program's tool returned. Returns whether it was waited for."""
        future = self._waiting.pop(call_id, None)
        if future is None or future.done():
            return False
        future.set_result(result)
        return True

    async def events(self) -> AsyncGenerator[ClientEvent, None]:
        """What has come and comes, the response last. May be read on after it was given up. Raises MindError."""
        while not self.ended:
            event = await self._queue.get()
            if isinstance(event, MindError):
                self.ended = True
                raise event
            self.ended = isinstance(event, Response)
            yield event

    async def aclose(self) -> None:
        self.ended = True
        await cancel_and_wait(self._running)
