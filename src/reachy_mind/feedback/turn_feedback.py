"""`TurnFeedback`: reads what was said in a turn as feedback on the turns before, in the background, after the turn.

A request is no feedback, and most of what people say is none. What is feedback becomes a record; praise confirms what
was learned. When the words could mean either, and only now and then, the robot asks.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

from reachy_mind import log
from reachy_mind.brains.brain import ToolCall, Turn
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import MindError
from reachy_mind.events import Bus, ToolCalled
from reachy_mind.feedback.attribution import actions, attributed
from reachy_mind.feedback.readings import Correction
from reachy_mind.feedback.records import Action, NewFeedback
from reachy_mind.feedback.service import FeedbackService, ReadFeedback
from reachy_mind.storage.database import DatabaseError
from reachy_mind.tools.permissions import STOP
from reachy_mind.tools.tunables import tunables

MOST_QUEUED = 1000
FLUSH_TIMEOUT_S = 5.0
FIRST_RETRY_S, LONGEST_RETRY_S = 1.0, 30.0
SURE = 0.7
"""The confidence from which on something is learned from words."""
FELT = 0.15
"""A reward nearer to 0 is no feedback."""
ASKED_BELOW = 0.45
"""The confidence below which the robot asks what was meant."""
ASK_EVERY_S, ASK_EVERY_TURNS = 300.0, 8
"""The robot asks at most so often."""

_log = log.get(__name__)


@dataclass(frozen=True)
class EndedTurn:
    """A turn that may have been feedback on those before it."""

    turn: Turn
    calls: tuple[ToolCall, ...] = ()
    corrections: tuple[Correction, ...] = ()
    """Those that were carried out in the turn, and are learned already."""
    meant: bool = False
    """Whether it said what had been meant by the turn before: that is learned already, too."""


class TurnFeedback:
    """One per mind; use as `async with`. `ask` puts a question to the people of a conversation; None: it never asks."""

    def __init__(
        self, service: FeedbackService, bus: Bus, read: ReadFeedback, ask: Callable[[Turn], None] | None
    ) -> None:
        self._service, self._bus, self._read, self._ask = service, bus, read, ask
        self._queue: deque[EndedTurn] = deque()
        self._wakeup, self._reading = asyncio.Event(), asyncio.Lock()
        self._tasks: list[asyncio.Task[None]] = []
        self._asked_at, self._turns_since = -ASK_EVERY_S, ASK_EVERY_TURNS
        self.pending: dict[str, Action] = {}
        """By conversation: the action that the robot asked about."""
        self.lost = 0
        """Turns that were dropped because the queue was full, or could not be read."""

    async def __aenter__(self) -> Self:
        self._tasks = [
            asyncio.create_task(self._run(), name="turn feedback"),
            asyncio.create_task(self._listen(), name="stop feedback"),
        ]
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            await cancel_and_wait(task)
        try:
            async with asyncio.timeout(FLUSH_TIMEOUT_S):
                await self.flush()
        except (MindError, TimeoutError) as error:
            _log.warning("feedback in some turns was not stored", turns=len(self._queue), reason=str(error))

    def enqueue(self, ended: EndedTurn) -> None:
        """Queue a turn to be read. Never waits, never raises; a full queue drops the oldest."""
        self._turns_since += 1
        if not ended.turn.history or (ended.calls and not ended.corrections and not ended.meant):
            return  # there is nothing that it could be about, or it was a request
        if len(self._queue) >= MOST_QUEUED:
            self._queue.popleft()
            self.lost += 1
            _log.warning("too much feedback waits to be stored", lost=self.lost)
        self._queue.append(ended)
        self._wakeup.set()

    async def forget_unread(self) -> None:
        """Drop what is not stored yet, and open questions: somebody was erased, and they may be theirs."""
        self._queue.clear()
        self.pending.clear()

    async def flush(self) -> None:
        """Read and store what is queued. Raises DatabaseError."""
        async with self._reading:
            while self._queue:
                ended = self._queue[0]
                try:
                    await self._take(ended)
                except DatabaseError:
                    raise
                except Exception as error:  # noqa: BLE001 -- odd words, or a broken model, must not stop the queue
                    self.lost += 1
                    _log.warning("feedback in a turn can't be read", error=f"{type(error).__name__}: {error}"[:500])
                if self._is_next(ended):
                    self._queue.popleft()

    def _is_next(self, ended: EndedTurn) -> bool:
        """Whether a turn is still the first in the queue, and was not dropped while it was read."""
        return bool(self._queue) and self._queue[0] is ended

    async def _run(self) -> None:
        retry_s = FIRST_RETRY_S
        while True:
            try:
                await self.flush()
                self._wakeup.clear()
                await self._wakeup.wait()
                retry_s = FIRST_RETRY_S
            except DatabaseError as error:  # a full disk or a locked file may recover
                _log.warning("feedback could not be stored yet", reason=error.message, again_in_s=retry_s)
                await asyncio.sleep(retry_s)
                retry_s = min(retry_s * 2, LONGEST_RETRY_S)

    async def _listen(self) -> None:
        """A stop, from wherever it comes, says that the last action was not wanted."""
        with self._bus.subscribe(ToolCalled) as events:
            async for event in events:
                if isinstance(event, ToolCalled) and event.tool == STOP and event.caller in ("brain", "person"):
                    try:
                        await self._service.record_stop(event.conversation, event.channel)
                    except MindError as error:
                        _log.warning("a stop could not be stored as feedback", reason=error.message)

    async def _take(self, ended: EndedTurn) -> None:
        turn = ended.turn
        reading = await self._read(turn.text)
        if not self._is_next(ended):
            return
        corrections = ended.corrections or ((reading.correction,) if reading.correction else ())
        if abs(reading.reward) < FELT and not corrections:
            return
        about = attributed("" if ended.meant else turn.text, turn.history)  # what was meant is not what was done
        unsure = reading.confidence < ASKED_BELOW and not corrections
        if unsure and tunables(about.tool) and self._ask is not None and self._may_ask():
            self.pending[turn.conversation] = about
            self._ask(turn)
            return
        new = NewFeedback(
            reward=self._service.scaled(reading, turn.person),
            confidence=reading.confidence,
            source=reading.source,
            channel="turn",
            text=turn.text,
            person=turn.person,
            conversation=turn.conversation,
            turn=turn.id,
            corrections=corrections,
            about=about,
        )
        learns = reading.confidence >= SURE and turn.teachable and not corrections and not ended.meant
        await self._service.store(new, before=actions(turn.history)[1:] if learns else None)

    def _may_ask(self) -> bool:
        now = time.monotonic()
        if now - self._asked_at < ASK_EVERY_S or self._turns_since < ASK_EVERY_TURNS:
            return False
        self._asked_at, self._turns_since = now, 0
        return True
