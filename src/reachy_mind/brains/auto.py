"""`Auto`: routes each turn to the reflex brain when it is certain, else to a model brain (the thinker).

A thinker that only talks (`Talker`) is given the talk of a turn alone: `TalkOrAct` does the rest with reflex.

A thinker named in the settings is always asked first, and so is one that the person prefers for this request
(`Turn.preferred`). When it is unavailable, its error sentence is said and reflex
answers instead, unless something was done already. Further turns skip it until a backoff has passed.

A thinker that appears while reflex is alone (a model was pulled, an Ollama was started) is built and prepared in the
background and used from a moment on at which no turn is under way: `BrainUpgrade`. No turn waits for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reachy_mind import log
from reachy_mind.brains.brain import (
    THINKER,
    Brain,
    BrainUnavailable,
    Closable,
    Done,
    Gate,
    Handoff,
    HasAgents,
    Past,
    Preparable,
    Said,
    Sense,
    Thought,
    Turn,
    Unanswered,
    Voiced,
)
from reachy_mind.brains.reflex import emergencies
from reachy_mind.brains.reflex.brain import Reflex
from reachy_mind.brains.reflex.followups import NOTHING_YET
from reachy_mind.brains.reflex.plan import Ask, Condition, Guess, Part, Plan, Step, Talk, Unknown, Words
from reachy_mind.brains.selection_rule import BrainChoice, by_ability
from reachy_mind.brains.talk_or_act import Talker, TalkOrAct
from reachy_mind.brains.talk_routing import needs_talker
from reachy_mind.brains.upgrade import BrainUpgrade, UpgradeState
from reachy_mind.brains.word_lists import spaced
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import MindError
from reachy_mind.tools.definition import Outcome

REFLEX_TALK = (
    frozenset(
        spaced(
            """
        @greet @how_are_you @bye @thanks @praise @complaint @apology @compliment @yes @no @arithmetic @convert @calendar
        @game @forbid @danger
        """
        )
    )
    | emergencies.KINDS
)
"""Kinds of talk that reflex answers well. Other talk is left to a model, which has more to say than ready sentences."""
URGENT_TALK = emergencies.KINDS | {"@danger"}
ANSWER_TALK = frozenset(spaced("@yes @no"))
"""Kinds of talk that answer a question: they go to the brain that asked it."""
NOT_STARTED_ERRORS = frozenset({"INVALID_PARAMETER", "UNKNOWN_TOOL", "NOT_READY", "OUT_OF_REACH"})
"""Errors of calls that never started. After any other, such as a timeout, the robot may have moved."""
FIRST_BACKOFF_S, LONGEST_BACKOFF_S = 15.0, 240.0
"""How long an unavailable thinker is skipped: after the first failure, and at most (it doubles)."""
PROBE_INTERVAL_S = 60.0
"""Without a thinker, look for one again after this: an Ollama may have been started."""

Told = Callable[[UpgradeState, str], None]
"""Gets the state of an upgrade, and the selection or the reason of a failure in one line."""

_log = log.get(__name__)


class Auto:
    """`decide` selects the thinker, `create` builds it, which takes seconds; both run when it is first needed.

    `choice`: the selection, if it was made already; `named`: the thinker named in the settings, built already; `told`
    gets what becomes of a thinker that is found later.
    """

    def __init__(
        self,
        reflex: Reflex,
        decide: Callable[[], Awaitable[BrainChoice]],
        create: Callable[[BrainChoice], Brain],
        *,
        choice: BrainChoice | None = None,
        named: Brain | None = None,
        told: Told = lambda state, about: None,  # noqa: ARG005
    ) -> None:
        self._reflex, self._decide, self._create, self.told = reflex, decide, create, told
        self.named = named
        self._deciding: asyncio.Task[BrainChoice] | None = None
        self._creating: asyncio.Task[Brain | None] | None = None
        self._decided_at = 0.0
        self._upgrading: asyncio.Task[None] | None = None
        self._turns_under_way = 0
        self._no_turn = asyncio.Event()
        self._no_turn.set()
        self._backoff = _Backoff()
        self.choice = choice
        """The selected thinker; None until it is decided."""

    @property
    def name(self) -> str:
        """The thinker's name if it is asked first, `auto` if it is asked second, else that of reflex."""
        if self.choice is None or not self.choice.thinker:
            return self._reflex.name
        return self.choice.thinker if self.choice.first else "auto"

    def finished(self, text: str) -> float:
        return self._reflex.finished(text)

    def sense(self, text: str, history: Sequence[Past] = (), conversation: str = "") -> Sense:
        return self._reflex.sense(text, history, conversation)

    def usual(self, language: str) -> Sequence[str]:
        return self._reflex.usual(language)

    async def decided(self) -> BrainChoice:
        """The selected thinker and the reason. Takes at most a second."""
        if self.choice is not None and self.choice.first:
            return self.choice
        if self._deciding is None:
            self._deciding = asyncio.create_task(self._decide_now(), name="select brain")
        decided = await asyncio.shield(self._deciding)
        return self.choice or decided

    def reconsider(self, turn: Turn) -> None:
        """Look for a thinker in the background, if there is none: a model may have been pulled. `turn`: what it is
        prepared with."""
        nobody = self.choice is not None and not self.choice.thinker
        if nobody and (self._upgrading is None or self._upgrading.done()):
            self._decided_at = time.monotonic()
            self._upgrading = asyncio.create_task(self._upgrade(turn), name="brain upgrade")

    async def _upgrade(self, turn: Turn) -> None:
        upgrade = BrainUpgrade(self._decide, self._create, self.told)
        async with upgrade.prepared(turn) as (choice, thinker):
            if thinker is None:
                self.choice = choice
                return
            await self._no_turn.wait()
            self.choice, self._creating = choice, asyncio.create_task(_same(thinker), name="create brain")
            upgrade.taken = True
            self.told("ready", choice.line)

    async def _decide_now(self) -> BrainChoice:
        self.choice = await self._decide()
        self._decided_at = time.monotonic()
        return self.choice

    async def thinker(self) -> Brain | None:
        """The thinker, built if needed; None without one."""
        choice = await self.decided()
        if self._creating is None:
            self._creating = asyncio.create_task(self._create_thinker(choice), name="create brain")
        return await asyncio.shield(self._creating)

    async def _create_thinker(self, choice: BrainChoice) -> Brain | None:
        if self.named is not None or not choice.thinker:
            return self.named
        try:
            self.choice = choice = await by_ability(choice)
            return await asyncio.to_thread(self._create, choice)
        except MindError as error:
            _log.warning("the brain could not be created", brain=choice.thinker, reason=error.message, hint=error.hint)
            self.choice = choice.without(error.message)
        except Exception as error:  # noqa: BLE001 -- reflex still answers when a library is broken
            _log.exception("the brain could not be created", brain=choice.thinker)
            self.choice = choice.without(f"it failed with {type(error).__name__}")
        return None

    async def prepare(self, turn: Turn) -> None:
        thinker: object = await self.thinker()
        if isinstance(thinker, Preparable):
            await thinker.prepare(turn)

    async def aclose(self) -> None:
        for task in (self._upgrading, self._deciding, self._creating):
            if task is not None:
                await cancel_and_wait(task)
        thinker: object = self.named
        if thinker is None and self._creating is not None and not self._creating.cancelled():
            thinker = self._creating.result()
        if isinstance(thinker, Closable):
            await thinker.aclose()

    async def think(self, turn: Turn) -> AsyncIterator[Thought]:
        if time.monotonic() - self._decided_at > PROBE_INTERVAL_S:
            self.reconsider(turn)
        self._turns_under_way += 1
        self._no_turn.clear()
        try:
            async with contextlib.aclosing(self._thoughts(turn)) as thoughts:
                async for thought in thoughts:
                    yield thought
        finally:
            self._turns_under_way -= 1
            if not self._turns_under_way:
                self._no_turn.set()

    async def _thoughts(self, turn: Turn) -> AsyncGenerator[Thought, None]:
        plan = await self._reflex.plan(turn)
        certain = is_certain(plan, turn)
        preferred = not _is_urgent(plan) and await self._is_preferred(turn)
        first = self.choice is not None and self.choice.first and not isinstance(self.named, Talker)
        first = preferred or (first and turn.preferred != self._reflex.name)
        thinker = await self.thinker() if first or not certain or needs_talker(plan, turn) else None
        if certain and not first and not isinstance(thinker, Talker):
            thinker = None
        use_reflex = thinker is None
        if thinker is not None and (pending_error := self._backoff.pending_error()) is not None:
            use_reflex = True
            if not certain:
                yield Said(f"{pending_error} ")
        elif thinker is not None:
            observed = _ObservedTurn(turn)
            if not isinstance(thinker, Talker):
                yield Handoff(thinker.name, _reason(preferred=preferred, first=first))
            talk = Plan((Unknown(turn.text),), plan.language) if preferred and not plan.steps else plan
            try:
                async for thought in self._think_with(thinker, talk, observed):
                    yield thought
            except BrainUnavailable as error:
                _log.warning("the brain is unavailable", brain=thinker.name, reason=error.message, hint=error.hint)
                self._backoff.failed(error, answered=observed.spoke or observed.acted)
                use_reflex = not observed.acted and (certain or not observed.spoke)
                yield Said(f"{' ' if observed.spoke else ''}{error.message}{' ' if use_reflex else ''}")
                if not use_reflex:
                    yield Done(understood=False, brain=thinker.name)
        if use_reflex:
            async with contextlib.aclosing(self._reflex.follow(plan, turn)) as thoughts:
                async for thought in thoughts:
                    yield thought

    async def _is_preferred(self, turn: Turn) -> bool:
        """Whether the person prefers the thinker, or an agent of it, for this request."""
        if turn.preferred in ("", self._reflex.name):
            return False
        thinker = await self.thinker()
        if thinker is None:
            return False
        agents = thinker.agents if isinstance(thinker, HasAgents) else ()
        return turn.preferred in (THINKER, thinker.name, *agents)

    async def _think_with(self, thinker: Brain, plan: Plan, observed: _ObservedTurn) -> AsyncIterator[Thought]:
        if isinstance(thinker, Talker):
            thoughts: Any = TalkOrAct(self._reflex, thinker, plan, observed.turn).thoughts()
        else:
            thoughts = thinker.think(observed.turn)
        async with contextlib.aclosing(thoughts):
            async for thought in thoughts:
                match thought:
                    case Said(text):
                        observed.spoke = observed.spoke or bool(text.strip())
                    case Voiced():
                        observed.spoke = True
                    case Done():
                        thought = replace(thought, brain=thought.brain or thinker.name)  # noqa: PLW2901
                yield thought
        self._backoff.succeeded()


def _reason(*, preferred: bool, first: bool) -> str:
    if preferred:
        return "you prefer it for this"
    return "it is asked first" if first else "reflex is not sure"


def _is_urgent(plan: Plan) -> bool:
    """Whether somebody may be in danger: that is answered at once, whoever is preferred."""
    return any(isinstance(part, Talk) and part.kind in URGENT_TALK for part in plan.parts)


async def _same(thinker: Brain) -> Brain | None:
    return thinker


def is_certain(plan: Plan, turn: Turn) -> bool:
    """Whether reflex can answer alone: every part is understood, none is a guess, a question back or open talk."""
    usable = {tool.name for tool in turn.tools if not tool.not_ready_reason}
    answered = turn.history[-1].brain if turn.history else ""

    def certain(part: Part) -> bool:
        match part:
            case Unknown() | Guess() | Ask():
                return False
            case Talk(kind):
                asked_by_other = kind in ANSWER_TALK and answered not in ("", Reflex.name)
                return kind in REFLEX_TALK and not asked_by_other
            case Step(tool):
                return not turn.tools or tool in usable
            case Condition():
                return False
            case Words():
                return part != NOTHING_YET  # a brain that talks may know what to go on from
        return True

    return bool(plan.parts) and all(certain(part) for part in plan.parts)


class _ObservedTurn:
    """Wraps a turn and records whether the thinker said or did something in it."""

    def __init__(self, turn: Turn) -> None:
        self.spoke = self.acted = False
        self._call: Gate = turn.call
        self.turn = replace(turn, call=self._observed_call)

    async def _observed_call(self, name: str, args: dict[str, Any]) -> Outcome:
        try:
            outcome = await self._call(name, args)
        except asyncio.CancelledError:
            self.acted = True
            raise
        code = outcome.error["code"] if outcome.error is not None else ""
        self.acted = self.acted or (outcome.status != "denied" and code not in NOT_STARTED_ERRORS)
        return outcome


@dataclass
class _Backoff:
    """Exponential backoff for an unavailable thinker, so that not every turn waits for the same timeout."""

    retry_at: float = 0.0
    failures: int = 0
    reason: str = ""

    def failed(self, error: BrainUnavailable, *, answered: bool) -> None:
        if answered or isinstance(error, Unanswered):  # it is available: only this turn failed
            return
        self.retry_at = time.monotonic() + min(FIRST_BACKOFF_S * 2**self.failures, LONGEST_BACKOFF_S)
        self.failures, self.reason = self.failures + 1, error.message

    def succeeded(self) -> None:
        self.retry_at, self.failures, self.reason = 0.0, 0, ""

    def pending_error(self) -> str | None:
        """The last error while the backoff lasts; None when the thinker may be asked again."""
        return self.reason if time.monotonic() < self.retry_at else None
