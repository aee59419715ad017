"""`ChatSession`: one client's typed conversation as a stream of typed events, for page, program and terminal.

While it is open it is a channel for confirmations: its reader can be asked. With `channel=False` nobody can, and
questions and their answers are not part of the stream.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine
from dataclasses import asdict
from typing import Any, Protocol, Self
from uuid import uuid4

from reachy_mind import log
from reachy_mind.access.authorization import NotAllowed, attributed
from reachy_mind.brains.stop_words import is_stop
from reachy_mind.conversation.events import ChatEvent, InTurn, RequestFailed, TurnAccepted, TurnEvent
from reachy_mind.conversation.turns import Turns
from reachy_mind.errors import MindError
from reachy_mind.events import (
    Announced,
    Bus,
    ConfirmationAnswered,
    ConfirmationAsked,
    Event,
    Missed,
    Subscription,
    ToolStarted,
)
from reachy_mind.memory.conversations import Conversations
from reachy_mind.tools.act_table import has_scope
from reachy_mind.tools.confirmations import Confirmation, Confirmations
from reachy_mind.tools.context import Caller
from reachy_mind.tools.timers import Timers

MOST_UNREAD = 1000

_log = log.get(__name__)


class ChatHost(Protocol):
    """What a chat session needs of a mind."""

    bus: Bus
    confirmations: Confirmations
    conversations: Conversations
    timers: Timers
    turns: Turns

    def stream(
        self,
        text: str,
        *,
        conversation: str | None = None,
        person: str = "",
        heard: str | None = None,
        context: dict[str, Any] | None = None,
        scopes: frozenset[str] | None = None,
    ) -> AsyncGenerator[TurnEvent, None]:
        """The events of one turn, the response last."""

    async def act(self, name: str, args: dict[str, Any] | None = None, caller: Caller | None = None) -> dict[str, Any]:
        """One tool call, for a person. Raises ToolError."""


class ChatSession:
    """Use as `async with ChatSession(mind, "page") as session`; read `events()`, call `say`, `answer`, `interrupt`.

    `scopes` are those of the client, which limit what its sentences may do; None: no limit.
    """

    def __init__(
        self,
        host: ChatHost,
        name: str,
        *,
        person: str = "",
        conversation: str | None = None,
        channel: bool = True,
        scopes: frozenset[str] | None = None,
    ) -> None:
        self._scopes, self._may_read = scopes, has_scope(scopes, "read")
        self._host, self._name, self._person, self._is_channel = host, name, person, channel
        self.conversation = conversation
        self._unread: asyncio.Queue[ChatEvent] = asyncio.Queue(MOST_UNREAD)
        self._tasks: set[asyncio.Task[None]] = set()
        self._turn_count = 0
        self._missed = 0
        self._shown: set[str] = set()
        """Keys of the announcements that were missed before this session."""
        self._stack = contextlib.AsyncExitStack()

    async def __aenter__(self) -> Self:
        kinds: tuple[type[Event], ...] = (ToolStarted, Announced)
        if self._is_channel:
            self._stack.enter_context(self._host.confirmations.channel(self._name))
            kinds += (ConfirmationAsked, ConfirmationAnswered)
        # Subscribe now, not when the task first runs: a question in between must reach the person too.
        events = self._stack.enter_context(self._host.bus.subscribe(*kinds))
        self._start(self._forward(events), "chat events")
        if self._is_channel:
            for pending in self._host.confirmations.pending:
                self._emit(_asked(pending))
            if self._may_read:
                await self._emit_missed()
        return self

    async def _emit_missed(self) -> None:
        """A person has come: what was announced while nobody was there is for them."""
        timers = self._host.timers
        try:
            missed = await timers.announcements.missed()
        except MindError as error:
            _log.warning("missed reminders can't be read", reason=error.message)
            return
        for announcement in missed:
            self._shown.add(announcement.key)
            self._emit(announcement.event(announcement.late_text(timers.now())))

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._stack.aclose()

    async def events(self) -> AsyncIterator[ChatEvent]:
        """Every event as it happens. A slow reader gets `Missed` with the number of those that were dropped."""
        while True:
            event = await self._unread.get()
            if self._missed:
                missed, self._missed = self._missed, 0
                yield Missed(count=missed)
            yield event
            if isinstance(event, Announced) and self._is_channel:  # the reader has shown it, and comes for the next
                await self._host.timers.announcements.told([event], self._name)

    def say(self, text: str, *, context: dict[str, Any] | None = None) -> None:
        """Words of the person; the answer comes as events."""
        self._turn_count += 1
        self._start(self._turn(self._turn_count, text, context), "chat turn")

    def answer(self, confirmation_id: str, *, approved: bool) -> None:
        """Yes or no to a question. Raises NotReady when it is not open any more, NotAllowed without the channel."""
        if not self._is_channel:
            raise NotAllowed(
                "nobody here can be asked", hint="a person answers: on the page, or with the scope confirm"
            )
        self._host.confirmations.answer(confirmation_id, approved=approved, by=attributed(self._person or self._name))

    def stop(self) -> None:
        """Stop the robot, and every answer, at once."""
        self._start(self._stop(), "chat stop")

    async def interrupt(self) -> bool:
        """Interrupt the answer that is under way; whether there was one."""
        return await self._host.turns.interrupt()

    def _start(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _stop(self) -> None:
        try:
            await self._host.act("robot.stop", caller=Caller("person", self._name, self._person))
        except MindError as error:
            self._emit(RequestFailed(error, about="stop"))

    async def _turn(self, number: int, text: str, context: dict[str, Any] | None) -> None:
        try:
            if self.conversation is None and is_stop(text):
                self.conversation = uuid4().hex  # a stop does not wait for the disk: it is opened after that
            elif self.conversation is None:
                self.conversation = await self._host.conversations.open(person=self._person)
            self._emit(InTurn(number, TurnAccepted(text, self.conversation)))
            turn = self._host.stream(
                text, conversation=self.conversation, person=self._person, context=context, scopes=self._scopes
            )
            async with contextlib.aclosing(turn) as events:
                async for event in events:
                    self._emit(InTurn(number, event))
        except MindError as error:
            self._emit(InTurn(number, RequestFailed(error)))

    async def _forward(self, events: Subscription) -> None:
        """Announcements go to every client that may read: the person who asked for one may be elsewhere."""
        async for event in events:
            match event:
                case ToolStarted() | Announced() if not (self._may_read or event.conversation == self.conversation):
                    continue
                case Announced() if event.key in self._shown:
                    continue  # it came while this session began
                case ConfirmationAsked() | ConfirmationAnswered() | ToolStarted() | Announced():
                    self._emit(event)

    def _emit(self, event: ChatEvent) -> None:
        if self._unread.full():  # a slow reader gets the newest
            self._unread.get_nowait()
            self._missed += 1
        self._unread.put_nowait(event)


def _asked(pending: Confirmation) -> ConfirmationAsked:
    fields = asdict(pending)
    return ConfirmationAsked(confirmation_id=fields.pop("id"), **fields)
