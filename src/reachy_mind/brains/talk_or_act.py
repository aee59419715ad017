"""`TalkOrAct`: one turn with a model that talks and has no tools.

Reflex reads the turn. What it recognises as a request to act, it does; everything else is talk and goes to the model.
A request that it is unsure of goes to the model as a choice among few, with "none of these" among them. In a mixed
request each part is done by whom it belongs to, in order, and a condition is decided on what came of the parts before.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Sequence
from datetime import datetime
from typing import Protocol, runtime_checkable

from reachy_mind.brains.brain import Called, Done, Handoff, Said, Thought, ToolCall, Turn
from reachy_mind.brains.reflex import emergencies, feelings, reckoning
from reachy_mind.brains.reflex.brain import Reflex
from reachy_mind.brains.reflex.followups import NOTHING_YET
from reachy_mind.brains.reflex.plan import Condition, Guess, Part, Plan, Step, Talk, Unknown, Words
from reachy_mind.brains.reflex.self_knowledge import about_itself
from reachy_mind.brains.reflex.wording import Wording
from reachy_mind.brains.word_lists import spaced

OWN_TALK = (
    frozenset(
        spaced(
            """
        @greet @how_are_you @bye @thanks @praise @apology @compliment @yes @no @forbid @danger @impossible @correct
        @name @maker @age @are_you @abilities @game @guess_no
        """
        )
    )
    | emergencies.KINDS
)
"""Kinds of talk that reflex answers itself: politeness, what it knows about itself, what it can compute, games."""
ANSWERS = frozenset(spaced("@yes @no @complaint @guess_no"))
"""Kinds of talk that are about what the model said last, when it spoke last."""
RECALL_TOOLS = frozenset(spaced("search_memories get_user_profile search_web"))
"""Tools that look something up: when they find nothing, the model is asked."""
FEELING = "@feel_"
SHORT_JOKE = 5
"""Words: a request for a joke that is longer names a subject, which no ready joke has."""
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
        self, turn: Turn, said: str, *, language: str = "en", done: Sequence[str] = (), feeling: str = ""
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
        for part in _merged(self._plan.parts, self._turn.text, self._plan.language):
            async with contextlib.aclosing(self._part(part)) as thoughts:
                async for thought in thoughts:
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

    async def _part(self, part: Part) -> AsyncGenerator[Thought, None]:
        match part:
            case Talk() | Words() if self._goes_on(part):
                thoughts = self._talk(self._turn.text)
            case Talk() | Unknown() if is_for_model(part, self._plan.language):
                thoughts = self._talk(self._words_of(part), part if isinstance(part, Talk) else None)
            case Guess():
                thoughts = self._choose(part)
            case Step(tool) if tool in RECALL_TOOLS:
                thoughts = self._look_up(part)
            case Condition():
                thoughts = self._decide(part)
            case _:
                thoughts = self._reflex.perform((part,), self._turn, self._plan.language, alone=self._is_alone())
        async with contextlib.aclosing(thoughts):
            async for thought in thoughts:
                yield thought

    def _goes_on(self, part: Talk | Words) -> bool:
        """Whether it answers the model's last words, or goes on from them: "why not?", "another one"."""
        last = self._turn.history[-1] if self._turn.history else None
        if last is None or last.calls or last.brain != self._talker.name or not self._is_alone():
            return False
        return (
            part == NOTHING_YET if isinstance(part, Words) else part.kind in ("@yes", "@no", "@complaint", "@guess_no")
        )

    def _is_alone(self) -> bool:
        return len(self._plan.parts) == 1

    def _words_of(self, part: Talk | Unknown) -> str:
        """What the model is to answer: all that was said, unless other parts of it were something to do."""
        return self._turn.text if not self._plan.steps or not part.said.strip() else part.said

    async def _talk(self, said: str, talk: Talk | None = None) -> AsyncGenerator[Thought, None]:
        """The model's words, after a gesture that goes with them; a word at once when they take long."""
        gesture = feelings.gesture(talk) if talk is not None else None
        feeling = talk.kind.removeprefix(FEELING) if talk is not None and talk.kind.startswith(FEELING) else ""
        if gesture is not None and any(tool.name == gesture.tool for tool in self._turn.tools):
            outcome = await self._turn.call(gesture.tool, dict(gesture.args))
            yield Called(ToolCall(gesture.tool, dict(gesture.args), outcome))
        if not self._talked:
            self._talked = True
            yield Handoff(self._talker.name, "it is talk")
        if not self._talker.ready:
            yield Said(f"{self._wording.say('waking_up')} ")
            await self._talker.prepare(self._turn)
        done = [*("".join(self._said).split("\n") if self._said else ()), *(_told(call) for call in self._calls)]
        words = self._talker.talk(self._turn, said, language=self._plan.language, done=done, feeling=feeling)
        async with contextlib.aclosing(words):
            first = asyncio.ensure_future(anext(words, None))
            try:
                finished, _ = await asyncio.wait([first], timeout=ACKNOWLEDGE_AFTER_S)
                if not finished:
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
        found = False
        kept: list[Thought] = []
        async with contextlib.aclosing(
            self._reflex.perform((step,), self._turn, self._plan.language, alone=True)
        ) as thoughts:
            async for thought in thoughts:
                if isinstance(thought, Called):
                    found = _found(thought.call)
                    yield thought
                else:
                    kept.append(thought)
        if found or self._explicit_search(step):
            for thought in kept:
                yield thought
            return
        async with contextlib.aclosing(self._talk(self._turn.text)) as words:
            async for thought in words:
                yield thought

    def _explicit_search(self, step: Step) -> bool:
        """Whether the person asked for the web: then its failure is told, and nothing made up instead."""
        return step.tool == "search_web" and any(
            word in self._turn.text.casefold() for word in ("web", "internet", "online", "google", "en ligne", "línea")
        )

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


def looks_up(plan: Plan) -> bool:
    """Whether the plan searches for something that a model may know better."""
    return any(step.tool in RECALL_TOOLS for step in plan.steps)


def is_for_model(part: Talk | Unknown, language: str) -> bool:
    """Whether a model answers it better than ready sentences."""
    if isinstance(part, Unknown):
        return part.why != "too_much"
    if part.kind == "@joke":
        return len(part.said.split()) > SHORT_JOKE
    if part.kind in reckoning.KINDS:
        return not reckoning.can_answer(part, language, datetime.now().astimezone().date())
    if about_itself(part, ()):
        return False
    return part.kind not in OWN_TALK


def _merged(parts: Sequence[Part], text: str, language: str) -> list[Part]:
    """Parts of one turn that all go to the model are one question."""
    model = [part for part in parts if isinstance(part, Talk | Unknown) and is_for_model(part, language)]
    if len(model) < 2 or any(isinstance(part, Step | Condition) for part in parts):
        return list(parts)
    first = model[0]
    return [Talk("@knowledge", text) if part is first else part for part in parts if part is first or part not in model]


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


def _told(call: ToolCall) -> str:
    data = call.outcome.data if isinstance(call.outcome.data, dict) else {}
    message = data.get("message") or (call.outcome.error or {}).get("message") or call.outcome.status
    return f"{call.name.replace('_', ' ')}: {message}"
