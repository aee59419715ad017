"""`Turns`: perceive, think, act, one turn at a time.

What a person says waits its turn in a short queue; a word of stop does not. A turn gives its thoughts as they come, is
written down at its beginning and its end, and ends by itself: with a reply, or with an error that says what failed. A
brain that fails, hangs or was cut short hurts no other turn.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from typing import Any, Literal
from uuid import uuid4

from reachy_mind import log
from reachy_mind.brains.stops import is_stop
from reachy_mind.brains.thought import Brain, Call, Called, Gate, Handoff, Past, Said, Thought, Turn
from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.events import Bus, ReplyGrew, TurnEnded, TurnStarted
from reachy_mind.memory.conversations import Conversations, Record
from reachy_mind.memory.memory import Memory
from reachy_mind.memory.remembering import Heard
from reachy_mind.profiles.profile import Profile
from reachy_mind.response import Growing, Response
from reachy_mind.tools.context import Caller
from reachy_mind.tools.definition import Outcome, Tier, Tool
from reachy_mind.tools.registry import UnknownTool
from reachy_mind.tools.tasks import TooMany
from reachy_mind.tools.toolbox import Toolbox

Doing = Literal["thinking", "pondering", "acting", "ready"]
"""`pondering`: a brain is at it that takes its time."""
MOST_WAITING = 20
LONGEST_TURN_S = 600.0
LONGEST_TEXT = 20_000
REMEMBERED_TURNS = 12

_log = log.get(__name__)


class _Stop:
    """No brain is asked about a stop."""

    name = "stop"

    async def think(self, turn: Turn) -> AsyncIterator[Thought]:
        outcome = await turn.call("stop", {})
        yield Called(Call("stop", {}, outcome))
        error = outcome.error or {}
        yield Said("Stopped." if outcome.status == "ok" else f"I could not stop: {error.get('message', '')}")


class Turns:
    """The queue, and what happens to what is in it."""

    def __init__(
        self,
        brain: Callable[[], Brain],
        toolbox: Toolbox,
        conversations: Conversations,
        bus: Bus,
        *,
        profile: Profile | None = None,
        personalities: Callable[[], Sequence[str]] = tuple,
        changed: Callable[[Doing], None] = lambda doing: None,  # noqa: ARG005
        memory: Memory | None = None,
    ) -> None:
        self._brain, self._toolbox, self._conversations, self._bus = brain, toolbox, conversations, bus
        self.profile, self._personalities, self._changed = profile or Profile(), personalities, changed
        self._memory = memory
        self._lock = asyncio.Lock()
        self._waiting = 0
        self._current: asyncio.Task[Any] | None = None
        self._current_id = ""
        self._stops = 0
        self._stopping: set[str] = set()

    async def interrupt(self) -> bool:
        """Cut the turn that is under way short; whether there was one. What it did stays done."""
        current = self._current
        if current is None or current.done():
            return False
        current.cancel()
        await asyncio.wait([current])
        return True

    def stopped(self, caller: Caller) -> None:
        """A stop came, by whatever way: turns end, under way or waiting, but for the one whose own word it was."""
        if caller.turn in self._stopping:
            return  # the turns before it have ended already
        self._stops += 1
        if self._current is not None and caller.turn != self._current_id:
            self._current.cancel()

    async def take(
        self,
        said: str,
        *,
        conversation: str | None = None,
        person: str = "",
        heard: str | None = None,
        context: dict[str, Any] | None = None,
    ) -> AsyncGenerator[Thought | Response, None]:
        """Thoughts as they come, and the response at last.

        Raises InvalidParameter for what is no text, and TooMany. Whoever stops listening cuts the turn short.
        """
        if not isinstance(said, str) or not said.strip() or len(said) > LONGEST_TEXT:
            raise InvalidParameter("nothing was said", hint=f"some words, at most {LONGEST_TEXT} characters")
        said = said.encode("utf-8", "replace").decode("utf-8")
        stop, stops = is_stop(said), self._stops
        if stop:
            self._stops += 1  # which ends turns that wait, or are about to begin
            if self._current is not None:
                self._current.cancel()  # and not waited for: the robot stops first
        elif self._waiting >= MOST_WAITING:
            raise TooMany(f"{self._waiting} people are waiting for an answer", hint="try again in a moment")
        thoughts: asyncio.Queue[Thought | Response | BaseException] = asyncio.Queue()
        chosen = conversation or uuid4().hex
        given = bool(person.strip())
        if not stop:  # which does not wait for a disk either
            if self._memory is not None:
                person = await self._memory.people.who(person, conversation)
            chosen = await self._conversations.open(conversation, person=person, profile=self.profile.name)
        growing = Growing(uuid4().hex, chosen, stops)
        about = Turn(
            said,
            self._gate(growing, person),
            conversation=chosen,
            person=person,
            profile=self.profile.name,
            heard=heard,
            id=growing.id,
            tier=self._tier,
            publish=self._bus.publish,
        )
        work = asyncio.create_task(self._whole(growing, about, context or {}, thoughts, given=given), name="turn")
        try:
            while True:
                thought = await thoughts.get()
                yield thought  # type: ignore[misc]
                if isinstance(thought, Response):
                    return
        finally:
            if not work.done():
                work.cancel()
            await asyncio.wait([work])

    def _gate(self, growing: Growing, person: str) -> Gate:
        async def call(name: str, args: dict[str, Any]) -> Outcome:
            channel = f"brain:{self._brain().name}"
            caller = Caller("brain", channel, person, growing.conversation, growing.id)
            self._acts(growing)
            if refused := self._refused(name):
                return refused
            try:
                return await self._toolbox.call(name, args, caller=caller)
            except asyncio.CancelledError:
                growing.calls.append(Call(name, args, Outcome("cancelled")))  # the brain can't tell any more
                raise

        return call

    def _refused(self, name: str) -> Outcome | None:
        """A brain has the tools of its profile and no others, whatever it makes up."""
        try:
            tool, _ = self._toolbox.registry.find(name)
        except UnknownTool:
            return None  # the gate says so
        if self.profile.allows(tool) and not tool.hidden:
            return None
        message = f"{tool.name} is none of the tools of {self.profile.title}"
        hint = "a person may do it" if tool.hidden else "be somebody else, or add it to the profile's tools"
        return Outcome("denied", error={"code": "PERMISSION_DENIED", "message": message, "hint": hint})

    def _acts(self, growing: Growing) -> None:
        """The first action or word: from here on it does not only think."""
        if growing.first_at is None:
            growing.first_at = time.monotonic()
            self._changed("acting")

    async def _whole(
        self, growing: Growing, turn: Turn, context: dict[str, Any], thoughts: asyncio.Queue[Any], *, given: bool
    ) -> None:
        """From the queue to the last word. Whatever happens, a response is the last thing that comes out."""
        self._waiting += 1
        brain = self._brain()
        error: dict[str, str] | None = None
        try:
            async with contextlib.AsyncExitStack() as stack:
                stop = is_stop(turn.text)
                if not stop:
                    await stack.enter_async_context(self._lock)
                    if growing.stops != self._stops:
                        raise asyncio.CancelledError  # a stop came while it waited
                    self._current, self._current_id = asyncio.current_task(), growing.id
                self._bus.publish(
                    TurnStarted(
                        turn_id=growing.id,
                        conversation=growing.conversation,
                        text=turn.text,
                        spoken=context.get("spoken") is True,
                    )
                )
                if stop:
                    self._stopping.add(growing.id)
                    stack.callback(self._stopping.discard, growing.id)
                    await self._think(_Stop(), growing, turn, thoughts)
                    await self._conversations.open(turn.conversation, person=turn.person, profile=turn.profile)
                await self._conversations.began(growing.id, growing.conversation, turn.text, person=turn.person)
                if stop:
                    return
                self._changed("thinking")
                async with asyncio.timeout(LONGEST_TURN_S):
                    await self._think(brain, growing, await self._with_history(turn, context), thoughts)
        except asyncio.CancelledError:
            error = {"code": "INTERRUPTED", "message": "the answer was cut short", "hint": ""}
        except TimeoutError:
            error = {"code": "TIMEOUT", "message": "the answer took too long", "hint": "try something simpler"}
        except MindError as failed:
            error = failed.as_dict()
        except Exception as failed:  # noqa: BLE001 -- brains raise what they like, and the mind goes on
            _log.exception("the brain failed", brain=brain.name)
            message = f"{brain.name} failed: {type(failed).__name__}: {failed}"[:500]
            error = {"code": "BRAIN_FAILED", "message": message, "hint": "see the log"}
        finally:
            if self._current is asyncio.current_task():
                self._current = None  # it can't be cut short any more
            self._waiting -= 1
            if self._current is None:  # else it only waited for the one that is still under way
                self._changed("ready")
            response = growing.response(brain.name, error)
            await asyncio.shield(self._ended(response))
            if self._memory is not None and not is_stop(turn.text):
                called = tuple(call.name for call in response.tool_calls)
                heard = Heard(turn.person, turn.conversation, growing.id, turn.text, called, given=given)
                self._memory.remembering.heard(heard)
            thoughts.put_nowait(response)

    async def _think(self, brain: Brain, growing: Growing, turn: Turn, thoughts: asyncio.Queue[Any]) -> None:
        async for thought in brain.think(turn):
            thought = growing.spaced(thought)  # noqa: PLW2901
            if isinstance(thought, Said | Called):
                self._acts(growing)
            elif isinstance(thought, Handoff) and growing.first_at is None:
                self._changed("pondering")
            growing.take(thought)
            if isinstance(thought, Said):
                self._bus.publish(ReplyGrew(turn_id=growing.id, conversation=growing.conversation, text=thought.text))
            thoughts.put_nowait(thought)

    def blank(self) -> Turn:
        """A turn in which nothing was said, with what it would have now: for a brain to get ready."""

        async def nothing(name: str, args: dict[str, Any]) -> Outcome:  # noqa: ARG001
            return Outcome("denied")

        profile = self.profile
        return Turn("", nothing, self._tools(profile), profile=profile.name, instructions=profile.prompt)

    def _tools(self, profile: Profile) -> tuple[Tool, ...]:
        return tuple(tool for tool in self._toolbox.registry if not tool.hidden and profile.allows(tool))

    async def _with_history(self, turn: Turn, context: dict[str, Any]) -> Turn:
        records, _ = await self._conversations.turns(turn.conversation, limit=REMEMBERED_TURNS + 1)
        past = tuple(_past(record) for record in records if record.state != "thinking" and record.said)
        call = turn.call
        if context.get("continues") is True and past:
            *before, begun = past  # what was said then is the beginning of this
            past, call = tuple(before), _but_once(turn.call, begun.calls)
        profile = self.profile  # it may be another one than when this was said
        context = context | await self._remembered(turn)
        return Turn(
            turn.text,
            call,
            self._tools(profile),
            turn.conversation,
            turn.person,
            profile.name,
            past,
            turn.heard,
            context,
            profile.manner,
            profile.prompt,
            profile.moves,
            self._personalities,
            turn.id,
            turn.tier,
            turn.publish,
            profile.voice,
        )

    def _tier(self, tool: Tool) -> Tier:
        """Who decides about a tool, as things stand."""
        return self._toolbox.permissions.verdict(tool, self._toolbox.registry.other_names(tool)).tier

    async def _remembered(self, turn: Turn) -> dict[str, Any]:
        """What memory knows about who speaks; a memory that fails is no reason not to answer."""
        if self._memory is None:
            return {}
        try:
            remembered = await self._memory.remembering.recall(turn.text, turn.person, turn.conversation)
        except MindError as error:
            _log.warning("nothing could be recalled", reason=error.message)
            return {}
        return {"remembered": remembered} if remembered else {}

    async def _ended(self, response: Response) -> None:
        state = "done"
        if response.error is not None:
            state = "interrupted" if response.error["code"] == "INTERRUPTED" else "failed"
        tools = [call.as_dict() | {"data": call.outcome.data} for call in response.tool_calls]
        try:
            await self._conversations.ended(
                response.turn,
                reply=response.text,
                brain=response.brain,
                tools=tools,
                state=state,
                error=response.error["message"] if response.error else "",
                latency_ms=response.latency_ms,
            )
        except MindError as error:
            _log.error("a turn could not be written down", reason=error.message)
        self._bus.publish(
            TurnEnded(
                turn_id=response.turn,
                conversation=response.conversation,
                reply=response.text,
                brain=response.brain,
                latency_ms=response.latency_ms,
                error=response.error,
            )
        )


def _but_once(call: Gate, done: Sequence[Call]) -> Gate:
    """The gate of somebody who went on speaking: what was done about the beginning is not done again."""

    left = [each for each in done if each.outcome.status == "ok"]

    async def called(name: str, args: dict[str, Any]) -> Outcome:
        for each in left:
            if (each.name, each.args) == (name, args):
                left.remove(each)
                return each.outcome
        return await call(name, args)

    return called


def _past(record: Record) -> Past:
    calls = tuple(Call(tool["name"], tool["args"], Outcome(tool["status"], tool.get("data"))) for tool in record.tools)
    return Past(record.said, record.reply, calls, record.brain)
