"""`Dialogue`: one person's talk with the mind as a stream of plain events, the same for page, program and terminal.

What comes out, each a dict with a `type`:

    started {text}  delta {text}  tool {name, args, status, error}  handoff {to, reason}
    done {reply, tools, brain, latency_ms, duration_ms, session_id, error, agent?, handoffs?, tokens?}
    confirm {id, call_id, tool, arguments, consequence, reason, expires_at}   answered {id, approved, by}
    notice {tool, arguments}   announced {text, about}   error {code, message, hint, id?}   missed {count}

What belongs to something said, from `started` to `done` or `error`, has its number: `turn` 1 is the first.

For as long as it is open it is a channel for confirmations: whoever reads it can be asked. With `channel` off nobody
can, and questions and their answers are not told.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Self

from reachy_mind.brains.thought import Called, Done, Handoff, Said, Thought, Voiced
from reachy_mind.errors import MindError
from reachy_mind.events import Announced, ConfirmationAnswered, ConfirmationAsked, Event, Subscription, ToolStarted
from reachy_mind.response import Response
from reachy_mind.server.visitors import NotAllowed
from reachy_mind.tools.context import Caller

if TYPE_CHECKING:
    from reachy_mind.mind import Mind

Told = dict[str, Any]
MOST_UNREAD = 1000


class Dialogue:
    """Use as `async with Dialogue(mind, "page") as dialogue`; read `events()`, call `say`, `answer`, `interrupt`."""

    def __init__(
        self, mind: Mind, name: str, *, person: str = "", conversation: str | None = None, channel: bool = True
    ) -> None:
        self._mind, self._name, self._person, self._is_channel = mind, name, person, channel
        self.conversation = conversation
        self._out: asyncio.Queue[Told] = asyncio.Queue(MOST_UNREAD)
        self._turns: set[asyncio.Task[None]] = set()
        self._said = 0
        self._missed = 0
        self._stack = contextlib.AsyncExitStack()

    async def __aenter__(self) -> Self:
        kinds: tuple[type[Event], ...] = (ToolStarted, Announced)
        if self._is_channel:
            self._stack.enter_context(self._mind.confirmations.channel(self._name))
            kinds += (ConfirmationAsked, ConfirmationAnswered)
        # Now, not when the task first runs: what is asked in between must reach the person too.
        heard = self._stack.enter_context(self._mind.bus.subscribe(*kinds))
        listener = asyncio.create_task(self._listen(heard), name=f"dialogue {self._name}")
        self._turns.add(listener)
        for waiting in self._mind.confirmations.pending if self._is_channel else ():
            self._tell({"type": "confirm", **asdict(waiting)})
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._turns:
            task.cancel()
        await asyncio.gather(*self._turns, return_exceptions=True)
        await self._stack.aclose()

    async def events(self) -> AsyncIterator[Told]:
        """Everything, as it happens."""
        while True:
            told = await self._out.get()
            if self._missed:
                missed, self._missed = self._missed, 0
                yield {"type": "missed", "count": missed}
            yield told

    def say(self, text: str, *, context: dict[str, Any] | None = None) -> None:
        """Something the person said; the answer comes as events."""
        self._said += 1
        task = asyncio.create_task(self._turn(self._said, text, context), name="dialogue turn")
        self._turns.add(task)
        task.add_done_callback(self._turns.discard)

    def answer(self, confirmation_id: str, *, approved: bool) -> None:
        """Yes or no to a question. Raises NotReady when it is not open any more, NotAllowed for who is not asked."""
        if not self._is_channel:
            raise NotAllowed(
                "nobody here can be asked", hint="a person answers: on the page, or with the scope confirm"
            )
        self._mind.confirmations.answer(confirmation_id, approved=approved, by=self._person or self._name)

    def stop(self) -> None:
        """End every movement, and what is being answered, at once."""
        task = asyncio.create_task(self._stop(), name="dialogue stop")
        self._turns.add(task)
        task.add_done_callback(self._turns.discard)

    async def _stop(self) -> None:
        try:
            await self._mind.act("robot.stop", caller=Caller("person", self._name, self._person))
        except MindError as error:
            self._tell({"type": "error", **error.as_dict(), "id": "stop"})

    async def interrupt(self) -> bool:
        return await self._mind.turns.interrupt()

    async def _turn(self, number: int, text: str, context: dict[str, Any] | None) -> None:
        try:
            if self.conversation is None:
                self.conversation = await self._mind.conversations.open(person=self._person)
            self._tell({"type": "started", "text": text, "session_id": self.conversation, "turn": number})
            asked = self._mind.stream(text, conversation=self.conversation, person=self._person, context=context)
            async with contextlib.aclosing(asked) as thoughts:
                async for thought in thoughts:
                    if told := described(thought):
                        self._tell(told | {"turn": number})
        except MindError as error:
            self._tell({"type": "error", **error.as_dict(), "turn": number})

    async def _listen(self, events: Subscription) -> None:
        async for event in events:
            told = self._noticed(event)
            if told:
                self._tell(told)

    def _noticed(self, event: Event) -> Told | None:
        match event:
            case ConfirmationAsked():
                told = asdict(event)
                del told["at"]
                return {"type": "confirm", "id": told.pop("confirmation_id"), **told}
            case ConfirmationAnswered():
                return {"type": "answered", "id": event.confirmation_id, "approved": event.approved, "by": event.by}
            case ToolStarted() if event.notice:
                return {"type": "notice", "tool": event.tool, "arguments": event.arguments}
            case Announced():  # whoever is there is told: the one who asked for it may be elsewhere
                return {"type": "announced", "text": event.text, "about": event.about}
            case _:
                return None

    def _tell(self, told: Told) -> None:
        if self._out.full():  # a reader that fell behind gets what is newest
            self._out.get_nowait()
            self._missed += 1
        self._out.put_nowait(told)


def described(thought: Thought | Response) -> Told | None:
    """A thought as an event."""
    match thought:
        case Said(text):
            return {"type": "delta", "text": text}
        case Called(call):
            return {"type": "tool", **call.as_dict(), "data": call.outcome.data, "error": call.outcome.error}
        case Handoff(to, reason):
            return {"type": "handoff", "to": to, "reason": reason}
        case Response():
            return {"type": "done", "turn_id": thought.turn, "cost_usd": thought.cost_usd, **thought.as_dict()}
        case Done() | Voiced():
            return None
