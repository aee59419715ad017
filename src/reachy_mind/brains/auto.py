"""`Auto`: reflex for what it is sure of, a brain that thinks for the rest; one conversation and memory across both.

A thinker that was chosen by name is asked first. When it can't be had its honest sentence is said, then reflex serves,
if nothing was done yet; and for a while nobody waits for it again.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reachy_mind import log
from reachy_mind.brains.phrases import spaced
from reachy_mind.brains.plan import Ask, Guess, Part, Plan, Step, Talk, Unknown
from reachy_mind.brains.reflex import Reflex
from reachy_mind.brains.rule import Choice
from reachy_mind.brains.stops import is_stop
from reachy_mind.brains.thought import (
    Brain,
    Done,
    Gate,
    Handoff,
    Lasting,
    NoThought,
    Preparing,
    Said,
    Thought,
    Turn,
    Unanswered,
    Voiced,
)
from reachy_mind.ending import ended
from reachy_mind.errors import MindError
from reachy_mind.tools.definition import Outcome

AT_ONCE = frozenset(
    spaced(
        """
        @greet @how_are_you @bye @thanks @praise @complaint @apology @compliment @yes @no @arithmetic @forbid @danger
        """
    )
)
"""Talk that reflex has good words for. The rest is open: a model says more about it than a few ready sentences."""
TO_WHAT_WAS_ASKED = frozenset(spaced("@yes @no"))
"""Talk that answers a question: it is for whoever asked."""
NOTHING_DONE = frozenset({"INVALID_PARAMETER", "UNKNOWN_TOOL", "NOT_READY", "OUT_OF_REACH"})
"""Errors of calls that never began. After any other, a timeout for one, the robot may have moved."""
REST_S, LONGEST_REST_S = 15.0, 240.0
"""How long a thinker that could not be had is left alone: first, and after failing again and again."""
LOOK_AGAIN_S = 60.0
"""With nobody to think, it is looked again after so long: an Ollama may have been started."""

_log = log.get(__name__)


class Auto:
    """`decide` finds out who thinks, `make` makes that one, which takes seconds: both when it is first needed.

    `choice`: what was decided already; `named`: the one that is asked first, made already.
    """

    def __init__(
        self,
        reflex: Reflex,
        decide: Callable[[], Awaitable[Choice]],
        make: Callable[[Choice], Brain],
        *,
        choice: Choice | None = None,
        named: Brain | None = None,
    ) -> None:
        self._reflex, self._decide, self._make = reflex, decide, make
        self.named = named
        self._deciding: asyncio.Task[Choice] | None = None
        self._making: asyncio.Task[Brain | None] | None = None
        self._decided_at = 0.0
        self._rest = _Rest()
        self.choice = choice
        """What was decided, as far as it was."""

    @property
    def name(self) -> str:
        """`auto` when there is one that thinks beside reflex."""
        if self.choice is None or not self.choice.thinker:
            return self._reflex.name
        return self.choice.thinker if self.choice.first else "auto"

    def finished(self, text: str) -> float:
        return self._reflex.finished(text)

    def usual(self, language: str) -> Sequence[str]:
        return self._reflex.usual(language)

    async def decided(self) -> Choice:
        """Who thinks, and why; takes at most a second."""
        if self.choice is not None and self.choice.first:
            return self.choice
        nobody = self.choice is not None and not self.choice.thinker
        if self._deciding is None or (nobody and time.monotonic() - self._decided_at > LOOK_AGAIN_S):
            self._deciding, self._making = asyncio.create_task(self._find(), name="who thinks"), None
        return await asyncio.shield(self._deciding)

    async def _find(self) -> Choice:
        self.choice = await self._decide()
        self._decided_at = time.monotonic()
        return self.choice

    async def thinker(self) -> Brain | None:
        """The one that thinks, made if need be."""
        choice = await self.decided()
        if self._making is None:
            self._making = asyncio.create_task(self._made(choice), name="a brain that thinks")
        return await asyncio.shield(self._making)

    async def _made(self, choice: Choice) -> Brain | None:
        if self.named is not None or not choice.thinker:
            return self.named
        try:
            return await asyncio.to_thread(self._make, choice)
        except MindError as error:
            _log.warning("nobody thinks", brain=choice.thinker, reason=error.message, hint=error.hint)
            self.choice = choice.without(error.message)
        except Exception as error:  # noqa: BLE001 -- a library that is broken is no reason not to answer
            _log.exception("nobody thinks", brain=choice.thinker)
            self.choice = choice.without(f"it failed with {type(error).__name__}")
        return None

    async def prepare(self, turn: Turn) -> None:
        thinker: object = await self.thinker()
        if isinstance(thinker, Preparing):
            await thinker.prepare(turn)

    async def aclose(self) -> None:
        for task in (self._deciding, self._making):
            if task is not None:
                await ended(task)
        thinker: object = self.named
        if thinker is None and self._making is not None and not self._making.cancelled():
            thinker = self._making.result()
        if isinstance(thinker, Lasting):
            await thinker.aclose()

    async def think(self, turn: Turn) -> AsyncIterator[Thought]:
        async with contextlib.aclosing(self._thoughts(turn)) as thoughts:
            async for thought in thoughts:
                yield thought

    async def _thoughts(self, turn: Turn) -> AsyncGenerator[Thought, None]:
        if is_stop(turn.text):
            async for thought in self._reflex.think(turn):
                yield thought
            return
        plan = await self._reflex.plan(turn)
        certain = sure(plan, turn)
        first = self.choice is not None and self.choice.first
        thinker = await self.thinker() if first or not certain else None
        serves = thinker is None
        if thinker is not None and (trouble := self._rest.trouble()) is not None:
            serves = True
            if not certain:
                yield Said(f"{trouble} ")
        elif thinker is not None:
            watched = _Watched(turn)
            yield Handoff(thinker.name, "it is asked first" if first else "reflex is not sure")
            try:
                async for thought in self._asked(thinker, watched):
                    yield thought
            except NoThought as error:
                _log.warning("no thought", brain=thinker.name, reason=error.message, hint=error.hint)
                self._rest.failed(error, answered=watched.spoke or watched.acted)
                serves = not watched.acted and (certain or not watched.spoke)
                yield Said(f"{' ' if watched.spoke else ''}{error.message}{' ' if serves else ''}")
                if not serves:
                    yield Done(understood=False, brain=thinker.name)
        if serves:
            async with contextlib.aclosing(self._reflex.follow(plan, turn)) as thoughts:
                async for thought in thoughts:
                    yield thought

    async def _asked(self, thinker: Brain, watched: _Watched) -> AsyncIterator[Thought]:
        thoughts: Any = thinker.think(watched.turn)
        async with contextlib.aclosing(thoughts):
            async for thought in thoughts:
                match thought:
                    case Said(text):
                        watched.spoke = watched.spoke or bool(text.strip())
                    case Voiced():
                        watched.spoke = True
                    case Done():
                        thought = replace(thought, brain=thought.brain or thinker.name)  # noqa: PLW2901
                yield thought
        self._rest.succeeded()


def sure(plan: Plan, turn: Turn) -> bool:
    """Whether reflex can be left alone with it: all of it is understood, nothing is guessed, asked or left open."""
    usable = {tool.name for tool in turn.tools if not tool.wait}
    answered = turn.history[-1].brain if turn.history else ""

    def certain(part: Part) -> bool:
        match part:
            case Unknown() | Guess() | Ask():
                return False
            case Talk(kind):
                asked_by_other = kind in TO_WHAT_WAS_ASKED and answered not in ("", Reflex.name)
                return kind in AT_ONCE and not asked_by_other
            case Step(tool):
                return not turn.tools or tool in usable
        return True

    return bool(plan.parts) and all(certain(part) for part in plan.parts)


class _Watched:
    """A turn whose gate remembers whether anything was done through it."""

    def __init__(self, turn: Turn) -> None:
        self.spoke = self.acted = False
        self._call: Gate = turn.call
        self.turn = replace(turn, call=self._called)

    async def _called(self, name: str, args: dict[str, Any]) -> Outcome:
        try:
            outcome = await self._call(name, args)
        except asyncio.CancelledError:
            self.acted = True
            raise
        code = outcome.error["code"] if outcome.error is not None else ""
        self.acted = self.acted or (outcome.status != "denied" and code not in NOTHING_DONE)
        return outcome


@dataclass
class _Rest:
    """That a thinker could not be had, for a while: not every turn waits for the same timeout."""

    until: float = 0.0
    times: int = 0
    reason: str = ""

    def failed(self, error: NoThought, *, answered: bool) -> None:
        if answered or isinstance(error, Unanswered):  # it is there: something went wrong on the way
            return
        self.until = time.monotonic() + min(REST_S * 2**self.times, LONGEST_REST_S)
        self.times, self.reason = self.times + 1, error.message

    def succeeded(self) -> None:
        self.until, self.times, self.reason = 0.0, 0, ""

    def trouble(self) -> str | None:
        """Why it need not be asked now; None when it may be there again."""
        return self.reason if time.monotonic() < self.until else None
