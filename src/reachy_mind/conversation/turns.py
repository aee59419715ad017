"""`Turns`: perceive, think, act, one turn at a time. The one place that handles a spoken or typed stop.

Turns wait in a short queue; a stop does not wait, asks no brain and ends all other turns. A turn yields its events as
they come, is stored at its beginning and its end, and always ends: with a reply, or with an error that says what
failed. A brain that fails, hangs or is interrupted affects no other turn.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypedDict
from uuid import uuid4

from structlog.contextvars import bind_contextvars

from reachy_mind import log
from reachy_mind.brains.brain import Brain, Called, Gate, Handoff, Past, Said, Thought, ToolCall, Turn
from reachy_mind.conversation.client_side import ClientSide
from reachy_mind.conversation.events import TurnEvent
from reachy_mind.conversation.past_turns import continued, past_of, without_repeats
from reachy_mind.conversation.recall import Recall
from reachy_mind.conversation.response import INTERRUPTED, Response, ResponseBuilder
from reachy_mind.conversation.running_turn import RunningTurn
from reachy_mind.conversation.stop_rule import is_stop_now
from reachy_mind.conversation.turn_gate import TurnGate
from reachy_mind.errors import InvalidParameter, MindError, TooMany
from reachy_mind.events import Bus, ReplyGrew, TurnEnded, TurnPhase, TurnStarted
from reachy_mind.memory.conversations import Conversations
from reachy_mind.memory.memory import Memory
from reachy_mind.memory.turn_memory import HeardTurn
from reachy_mind.profiles.profile import Profile
from reachy_mind.tools.act_table import has_scope, within_scopes
from reachy_mind.tools.announcements import missed_sentence
from reachy_mind.tools.context import Caller
from reachy_mind.tools.definition import Outcome, Tier, Tool
from reachy_mind.tools.timers import Timers
from reachy_mind.tools.toolbox import Toolbox

MOST_WAITING = 20
TURN_TIMEOUT_S = 600.0
LONGEST_TEXT = 20_000
HISTORY_TURNS = 12

_log = log.get(__name__)


class TurnOptions(TypedDict, total=False):
    """What may be told of a turn besides its words: see `Turns.take`."""

    conversation: str | None
    person: str | None
    heard: str | None
    context: dict[str, Any] | None
    scopes: frozenset[str] | None
    client: ClientSide | None


class Turns:
    """The queue of turns. `context` is added to what every turn knows; `on_phase` is called when the phase changes."""

    def __init__(
        self,
        brain: Callable[[], Brain],
        toolbox: Toolbox,
        conversations: Conversations,
        bus: Bus,
        *,
        profile: Profile | None = None,
        personalities: Callable[[], Sequence[str]] = tuple,
        on_phase: Callable[[TurnPhase], None] = lambda phase: None,  # noqa: ARG005
        memory: Memory | None = None,
        context: Callable[[], dict[str, Any]] = dict,
        timers: Timers | None = None,
    ) -> None:
        self._brain, self._toolbox, self._conversations, self._bus = brain, toolbox, conversations, bus
        self.profile, self._personalities, self._on_phase = profile or Profile(), personalities, on_phase
        self._memory, self._context, self._timers = memory, context, timers
        self._recall = Recall(toolbox, memory)
        self.phase: TurnPhase = "ready"
        """What is done about the latest turn."""
        self._lock = asyncio.Lock()
        self._waiting = 0
        self._current: asyncio.Task[None] | None = None
        self._current_id = ""
        self._stops = 0
        self._stopping: set[str] = set()

    async def interrupt(self) -> bool:
        """Interrupt the turn that is under way; whether there was one. What it did stays done."""
        if (current := self._current) is None or current.done():
            return False
        current.cancel()
        await asyncio.wait([current])
        return True

    def stopped(self, caller: Caller) -> None:
        """A stop went through the gate, from anywhere: all turns end, running or waiting, but the caller's own."""
        if caller.turn in self._stopping:
            return  # `take` has ended the others already
        self._stops += 1
        if self._current is not None and caller.turn != self._current_id:
            self._current.cancel()

    async def take(
        self,
        said: str,
        *,
        conversation: str | None = None,
        person: str | None = "",
        heard: str | None = None,
        context: dict[str, Any] | None = None,
        scopes: frozenset[str] | None = None,
        client: ClientSide | None = None,
    ) -> AsyncGenerator[TurnEvent, None]:
        """The events of one turn as they come, the response last. Closing the generator interrupts the turn.

        `person`: the name of whoever says it; empty: memory finds out; None: somebody who gave no name, and is not the
        one who did. `heard`: what was played of the last reply, if it was interrupted. `scopes`: those of whoever says
        it, which limit what the sentence may do; None: no limit. `client`: what the program brings along that passes
        it on. Raises InvalidParameter for what is no text, TooMany.
        """
        if not isinstance(said, str) or not said.strip() or len(said) > LONGEST_TEXT:
            raise InvalidParameter("nothing was said", hint=f"some words, at most {LONGEST_TEXT} characters")
        said = said.encode("utf-8", "replace").decode("utf-8")
        context = (context or {}) | self._context()
        running = await self._accept(said, conversation, person, heard, context, scopes, client)
        work = asyncio.create_task(self._run(running), name="turn")
        try:
            while True:
                event = await running.events.get()
                yield event
                if isinstance(event, Response):
                    return
        finally:
            if not work.done():
                work.cancel()
            await asyncio.wait([work])

    async def _accept(
        self,
        said: str,
        conversation: str | None,
        person: str | None,
        heard: str | None,
        context: dict[str, Any],
        scopes: frozenset[str] | None,
        client: ClientSide | None,
    ) -> RunningTurn:
        """Recognises a stop, and then ends the other turns before anything else."""
        busy = self._current is not None or self._waiting > 0 or self._toolbox.busy
        is_work = partial(self._follows, conversation or "")
        stop, stops_before = is_stop_now(said, busy=busy, is_work=is_work), self._stops
        person_given, person = person is None or bool(person.strip()), person or ""
        opened = conversation or uuid4().hex
        if stop:
            self._stops += 1  # ends the turns that wait, or are about to begin
            if self._current is not None:
                self._current.cancel()  # without waiting for its end: the robot stops first
        elif self._waiting >= MOST_WAITING:
            raise TooMany(f"{self._waiting} people are waiting for an answer", hint="try again in a moment")
        else:  # a stop does not wait for the disk either
            if self._memory is not None:
                await self._memory.turn_memory.settle()  # who speaks may have been told in the turn before
                if person or not person_given:
                    person = await self._memory.people.identify(person, conversation)
            opened = await self._conversations.open(conversation, person=person, profile=self.profile.name)
        response = ResponseBuilder(uuid4().hex, opened)
        turn = Turn(
            said,
            self._gate(response, person, scopes, context.get("released"), said, client),
            conversation=opened,
            person=person,
            profile=self.profile.name,
            heard=heard,
            id=response.turn,
            tier=self._tier,
            teachable=self._recall.may_remember(scopes),
            publish=self._bus.publish,
        )
        return RunningTurn(turn, response, context, stop, stops_before, person_given, scopes, client)

    def _gate(
        self,
        response: ResponseBuilder,
        person: str,
        scopes: frozenset[str] | None,
        released: asyncio.Event | None,
        said: str,
        client: ClientSide | None,
    ) -> Gate:
        def caller() -> Caller:
            channel = f"brain:{self._brain().name}"
            return Caller("brain", channel, person, response.conversation, response.turn, scopes=scopes)

        return TurnGate(
            self._toolbox,
            lambda: self.profile,
            caller,
            lambda: self._begin_acting(response),
            response,
            said,
            client,
            released,
        )

    def _begin_acting(self, response: ResponseBuilder) -> None:
        """The first action or word."""
        if response.first_at is None:
            response.first_at = time.monotonic()
            self._change_phase("acting")

    def _change_phase(self, phase: TurnPhase) -> None:
        self.phase = phase
        self._on_phase(phase)

    async def _run(self, running: RunningTurn) -> None:
        """From the queue to the last word. Whatever happens, the last event is a response."""
        self._waiting += 1
        bind_contextvars(turn=running.turn.id)  # of this task: every log line of the turn has it
        brain = self._brain()
        error: dict[str, str] | None = None
        try:
            await (self._stop(running) if running.is_stop else self._answer(running, brain))
        except asyncio.CancelledError:
            error = INTERRUPTED
        except TimeoutError:
            error = {"code": "TIMEOUT", "message": "the answer took too long", "hint": "try something simpler"}
        except MindError as failed:
            error = failed.as_dict()
        except Exception as failed:  # noqa: BLE001 -- brains raise what they like, and the mind goes on
            _log.exception("the brain failed", brain=brain.name)
            told = f"{brain.name} failed: {type(failed).__name__}: {failed}"
            error = {"code": "BRAIN_FAILED", "message": told[:500], "hint": "see the log"}
        finally:
            if self._current is asyncio.current_task():
                self._current = None  # it can't be interrupted any more
            self._waiting -= 1
            if self._current is None:  # else it only waited for the one that is still under way
                self._change_phase("ready")
            response = running.response.build(brain.name, error)
            await asyncio.shield(self._store_end(response))
            if self._memory is not None and not running.is_stop and self._recall.may_remember(running.scopes):
                turn, called = running.turn, tuple(call.name for call in response.tool_calls)
                given = running.person_given
                heard = HeardTurn(turn.person, turn.conversation, response.turn, turn.text, called, given=given)
                self._memory.turn_memory.enqueue(heard)
            running.events.put_nowait(response)

    async def _stop(self, running: RunningTurn) -> None:
        """Stops the robot first and replies; what was said is stored after that."""
        turn = running.turn
        self._publish_start(running)
        self._stopping.add(turn.id)
        try:
            outcome = await turn.call("stop", {})
            self._emit(running, Called(ToolCall("stop", {}, outcome)))
            error = outcome.error or {}
            reply = "Stopped." if outcome.status == "ok" else f"I could not stop: {error.get('message', '')}"
            self._emit(running, Said(reply))
            await self._conversations.open(turn.conversation, person=turn.person, profile=turn.profile)
            await self._conversations.start_turn(turn.id, turn.conversation, turn.text, person=turn.person)
        finally:
            self._stopping.discard(turn.id)

    async def _answer(self, running: RunningTurn, brain: Brain) -> None:
        turn = running.turn
        async with self._lock:
            if running.stops_before != self._stops:
                raise asyncio.CancelledError  # a stop came while it waited
            self._current, self._current_id = asyncio.current_task(), turn.id
            self._publish_start(running)
            await self._conversations.start_turn(turn.id, turn.conversation, turn.text, person=turn.person)
            self._change_phase("thinking")
            async with asyncio.timeout(TURN_TIMEOUT_S):
                async for thought in brain.think(await self._with_history(running)):
                    self._emit(running, thought)
                await self._tell_missed(running)

    async def _tell_missed(self, running: RunningTurn) -> None:
        """Who speaks, and may read, is told what was announced while nobody was there; if not, the turn goes on."""
        if self._timers is None or not has_scope(running.scopes, "read"):
            return
        try:
            await self._timers.announce_overdue()
            missed = await self._timers.announcements.missed()
        except MindError as error:
            _log.warning("missed reminders can't be read", reason=error.message)
            return
        if missed:
            self._emit(running, Said(f" {missed_sentence(missed, self._timers.now())}"))
            await self._timers.announcements.told(missed, "turn")

    def _publish_start(self, running: RunningTurn) -> None:
        turn, direction = running.turn, running.context.get("direction")
        started = TurnStarted(
            turn_id=turn.id,
            conversation=turn.conversation,
            text=turn.text,
            spoken=running.context.get("spoken") is True,
            direction=direction if isinstance(direction, float) else None,
        )
        self._bus.publish(started)

    def _emit(self, running: RunningTurn, thought: Thought) -> None:
        response = running.response
        if isinstance(thought, Said | Called):
            self._begin_acting(response)
        elif isinstance(thought, Handoff) and response.first_at is None:
            self._change_phase("pondering")
        thought = response.add(thought)
        if isinstance(thought, Said):
            self._bus.publish(ReplyGrew(turn_id=response.turn, conversation=response.conversation, text=thought.text))
        running.events.put_nowait(thought)

    def blank(self) -> Turn:
        """A turn in which nothing was said, with the tools and the profile of now: for a brain to get ready."""

        async def denied(name: str, args: dict[str, Any]) -> Outcome:  # noqa: ARG001
            return Outcome("denied")

        profile = self.profile
        return Turn("", denied, self._tools(profile), profile=profile.name, instructions=profile.prompt)

    def _tools(self, profile: Profile, scopes: frozenset[str] | None = None) -> tuple[Tool, ...]:
        """The tools of a profile that a caller with these scopes may use."""
        return tuple(
            tool
            for tool in self._toolbox.registry
            if not tool.hidden and profile.allows(tool) and within_scopes(tool, scopes)
        )

    def _follows(self, conversation: str, said: str) -> bool:
        """Whether a tool of the profile takes it for what this conversation is about."""
        readers = {tool.follows for tool in self._tools(self.profile) if tool.follows} if conversation else set()
        return any(follows(conversation, said) for follows in readers)

    async def past(self, conversation: str) -> tuple[Past, ...]:
        """The latest turns of a conversation that have ended, oldest first. Raises InvalidParameter for an unknown
        one."""
        records, _ = await self._conversations.turns(conversation, limit=HISTORY_TURNS + 1)
        return tuple(past_of(record) for record in records if record.state != "thinking" and record.said)

    async def _with_history(self, running: RunningTurn) -> Turn:
        """The turn with all that a brain is given; the profile may have changed since it was said."""
        turn, context, client = running.turn, running.context, running.client or ClientSide()
        if client.history is not None:
            call, past = without_repeats(turn.call, client.done), client.history
        else:
            call, past = continued(turn.call, turn.text, await self.past(turn.conversation), context)
        profile = self.profile
        tools = self._tools(profile, running.scopes)
        return replace(
            turn,
            call=call,
            tools=client.tools.offered(tools, self._tools(profile)) if client.tools else tools,
            profile=profile.name,
            history=past,
            context=context | await self._recall.recalled(turn, running.scopes),
            manner=profile.manner,
            instructions=client.instructions or profile.prompt,
            moves=profile.moves,
            personalities=self._personalities,
            voice=profile.voice,
        )

    def _tier(self, tool: Tool) -> Tier:
        """The tier of a tool, as the permissions are now."""
        return self._toolbox.decisions.tool(tool).tier

    async def _store_end(self, response: Response) -> None:
        code = response.error["code"] if response.error is not None else ""
        state = "interrupted" if code == INTERRUPTED["code"] else "failed" if code else "done"
        tools = [call.as_dict() | {"data": call.outcome.data} for call in response.tool_calls]
        try:
            await self._conversations.end_turn(
                response.turn,
                reply=response.text,
                brain=response.brain,
                tools=tools,
                state=state,
                error=response.error["message"] if response.error else "",
                latency_ms=response.latency_ms,
                agent=response.agent,
            )
        except MindError as error:
            _log.error("the end of a turn could not be stored", reason=error.message)
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
