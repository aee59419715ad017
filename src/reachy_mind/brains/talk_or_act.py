"""`TalkOrAct`: one turn with a model that talks and has no tools.

Reflex reads the turn. What it recognises as a request to act, it does; everything else is talk and goes to the model.
A request that it is unsure of goes to the model as a choice among few, with "none of these" among them. In a mixed
request each part is done by whom it belongs to, in order, and a condition is decided on what came of the parts before.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from typing import Protocol, runtime_checkable

from reachy_mind.brains.brain import Called, Done, Handoff, Said, Thought, ToolCall, Turn
from reachy_mind.brains.reflex import feelings
from reachy_mind.brains.reflex.brain import Reflex
from reachy_mind.brains.reflex.plan import Condition, Guess, Part, Plan, Step, Talk, Unknown
from reachy_mind.brains.reflex.wording import Wording
from reachy_mind.brains.talk_routing import SILENT_TOOLS, Route, is_personal, is_polite, route

ACKNOWLEDGE_AFTER_S = 2.5
"""Without a first word after this, the robot says that it is thinking."""


@runtime_checkable
class Talker(Protocol):
    """A brain that talks, and has no tools."""

    name: str

    @property
    def ready(self) -> bool: ...

    async def prepare(self, turn: Turn) -> None: ...

    def talk(
        self, turn: Turn, said: str, *, language: str = "en", done: Sequence[str] = (), known: Sequence[str] = ()
    ) -> AsyncGenerator[Said, None]: ...

    async def choose(self, said: str, options: Sequence[str]) -> int | None: ...

    async def judge(self, turn: Turn, condition: str, so_far: Sequence[str]) -> bool | None: ...


class TalkOrAct:
    """Follows the plan of one turn. Raises what the talker raises."""

    def __init__(self, reflex: Reflex, talker: Talker, plan: Plan, turn: Turn) -> None:
        self._reflex, self._talker, self._plan, self._turn = reflex, talker, plan, turn
        self._wording = Wording(plan.language, said=turn.text, manner=turn.manner.get(plan.language))
        self._calls: list[ToolCall] = []
        self._said: list[str] = []
        self._talked = False

    async def thoughts(self) -> AsyncGenerator[Thought, None]:
        """All thoughts of the turn, `Done` last."""
        for part in self._parts():
            begins = bool(self._said)
            async with contextlib.aclosing(self._part(part)) as thoughts:
                async for thought in thoughts:
                    if isinstance(thought, Said) and begins:
                        begins = False
                        thought = replace(thought, text=f" {thought.text.lstrip()}")  # noqa: PLW2901
                    self._note(thought)
                    yield thought
            if self._calls and self._calls[-1].outcome.status == "cancelled":
                break
        if not self._said and not self._calls:
            async with contextlib.aclosing(self._talk(self._turn.text)) as thoughts:
                async for thought in thoughts:
                    yield thought
        yield Done(brain=self._talker.name if self._talked else self._reflex.name)

    def _note(self, thought: Thought) -> None:
        match thought:
            case Said(text) if text.strip():
                self._said.append(text)
            case Called(call):
                self._calls.append(call)

    def _parts(self) -> Sequence[Part]:
        """The parts to follow. Talk and statements that all go to the model are one: it answers the whole turn."""
        ways: list[tuple[Part, Route]] = [(part, route(part, self._plan, self._turn)) for part in self._plan.parts]
        acts = any(
            isinstance(part, Condition | Guess) or (isinstance(part, Step) and way == "reflex") for part, way in ways
        )
        if len(ways) < 2 or acts or not any(way == "model" for _, way in ways):
            return self._plan.parts
        kept = [part for part, way in ways if way == "recall" or (way == "reflex" and not is_polite(part))]
        stored = [replace(part, quiet=True) for part, way in ways if isinstance(part, Step) and way == "store"]
        said = next(part for part, way in ways if way == "model")
        kind = said.kind if isinstance(said, Talk) else "@knowledge"
        return [*kept, *stored, Talk(kind, self._turn.text)]

    async def _part(self, part: Part) -> AsyncGenerator[Thought, None]:
        way = route(part, self._plan, self._turn)
        match part:
            case Step(quiet=True):
                thoughts = self._perform(part)
            case Guess():
                thoughts = self._choose(part)
            case Condition():
                thoughts = self._decide(part)
            case Step() if way == "store" and self._is_alone():
                thoughts = self._store(part)
            case Step() if way == "recall":
                thoughts = self._look_up(part)
            case Talk() | Unknown() if way == "model":
                thoughts = self._talk(self._words_of(part), part if isinstance(part, Talk) else None)
            case _ if way == "model":
                thoughts = self._talk(self._turn.text)
            case _:
                thoughts = self._perform(part)
        async with contextlib.aclosing(thoughts):
            async for thought in thoughts:
                yield thought

    def _perform(self, part: Part) -> AsyncGenerator[Thought, None]:
        return self._reflex.perform((part,), self._turn, self._plan.language, alone=self._is_alone())

    async def _store(self, step: Step) -> AsyncGenerator[Thought, None]:
        """Stores what was told, silently; the model answers it. Where it can't be stored, that is said."""
        stored = True
        async with contextlib.aclosing(self._perform(replace(step, note=""))) as thoughts:
            async for thought in thoughts:
                if isinstance(thought, Called):
                    stored = thought.call.outcome.status in ("ok", "started")
                    yield thought
                elif not stored:
                    yield thought
        if stored:
            async with contextlib.aclosing(self._talk(self._turn.text)) as words:
                async for thought in words:
                    yield thought

    def _is_alone(self) -> bool:
        return len(self._plan.parts) == 1

    def _words_of(self, part: Talk | Unknown) -> str:
        """What the model is to answer: all that was said, unless other parts of it were something to do."""
        return self._turn.text if not self._plan.steps or not part.said.strip() else part.said

    async def _talk(
        self, said: str, talk: Talk | None = None, known: Sequence[str] = ()
    ) -> AsyncGenerator[Thought, None]:
        """The model's words, after a gesture that goes with them; a word at once when they take long."""
        gesture = feelings.gesture(talk) if talk is not None and not self._plan.steps else None
        shown = gesture is not None and any(tool.name == gesture.tool for tool in self._turn.tools)
        if gesture is not None and shown:
            outcome = await self._turn.call(gesture.tool, dict(gesture.args))
            yield Called(ToolCall(gesture.tool, dict(gesture.args), outcome))
        if not self._talked:
            self._talked = True
            yield Handoff(self._talker.name, "it is talk")
        if not self._talker.ready:
            yield Said(f"{self._wording.say('waking_up')} ")
            await self._talker.prepare(self._turn)
        did = [_told(call) for call in self._calls if call.name not in SILENT_TOOLS]
        done = [*("".join(self._said).split("\n") if self._said else ()), *did]
        words = self._talker.talk(self._turn, said, language=self._plan.language, done=done, known=known)
        async with contextlib.aclosing(words):
            first = asyncio.ensure_future(anext(words, None))
            try:
                finished, _ = await asyncio.wait([first], timeout=ACKNOWLEDGE_AFTER_S)
                if not finished and not shown:  # a gesture is an answer already
                    yield Said(f"{self._wording.say('thinking')} ")
                piece = await first
            finally:
                if not first.done():
                    first.cancel()
                    await asyncio.wait([first])
            while piece is not None:
                yield piece
                piece = await anext(words, None)

    async def _choose(self, guess: Guess) -> AsyncGenerator[Thought, None]:
        """A request that reflex is not sure of: the model says whether it was meant."""
        options = [self._wording.steps(guess.steps)]
        picked = await self._talker.choose(self._turn.text, options)
        if picked is None:
            thoughts = self._talk(self._turn.text)
        else:
            thoughts = self._reflex.perform(guess.steps, self._turn, self._plan.language, alone=True)
        async with contextlib.aclosing(thoughts):
            async for thought in thoughts:
                yield thought

    async def _look_up(self, step: Step) -> AsyncGenerator[Thought, None]:
        """A search: what it found is told by reflex, else the model answers from what it knows."""
        found, known = False, list[str]()
        kept: list[Thought] = []
        async with contextlib.aclosing(
            self._reflex.perform((step,), self._turn, self._plan.language, alone=True)
        ) as thoughts:
            async for thought in thoughts:
                if isinstance(thought, Called):
                    found, known = _found(thought.call), _memories(thought.call)
                    yield thought
                else:
                    kept.append(thought)
        if found or (not self._turn.history and is_personal(self._turn.text)):
            for thought in kept:  # also that nothing is known about somebody: a model would make it up
                yield thought
            return
        async with contextlib.aclosing(self._talk(self._turn.text, known=known)) as words:
            async for thought in words:
                yield thought

    async def _decide(self, condition: Condition) -> AsyncGenerator[Thought, None]:
        """Decides a condition on what came before, by rules where they can tell, else by the model."""
        holds = condition.holds("".join(self._said), self._calls)
        if holds is None:
            holds = await self._talker.judge(
                self._turn, condition.said, [*self._said, *(_told(call) for call in self._calls)]
            )
        for part in condition.then if holds else condition.otherwise:
            async with contextlib.aclosing(self._part(part)) as thoughts:
                async for thought in thoughts:
                    yield thought


def _found(call: ToolCall) -> bool:
    """Whether a search found something that it is sure of."""
    if call.outcome.status != "ok":
        return False
    data = call.outcome.data if isinstance(call.outcome.data, dict) else {}
    if call.name == "search_memories":
        return any(isinstance(one, dict) and one.get("sure") for one in data.get("memories", ()))
    if call.name == "get_user_profile":
        return bool(data.get("name") or data.get("profile") or data.get("latest"))
    return bool(data)


def _memories(call: ToolCall) -> list[str]:
    """What a search in memory found, sure or not."""
    if call.name != "search_memories" or not isinstance(call.outcome.data, dict):
        return []
    return [str(one["content"]) for one in call.outcome.data.get("memories", ()) if isinstance(one, dict)]


def _told(call: ToolCall) -> str:
    data = call.outcome.data if isinstance(call.outcome.data, dict) else {}
    message = data.get("message") or (call.outcome.error or {}).get("message") or call.outcome.status
    return f"{call.name.replace('_', ' ')}: {message}"
