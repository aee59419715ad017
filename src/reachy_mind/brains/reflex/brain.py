"""`Reflex`: the brain that needs no language model. It answers in milliseconds; a stop never reaches it (`Turns`)."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from reachy_mind.brains.brain import Called, Done, Past, Said, Sense, Thought, ToolCall, Turn
from reachy_mind.brains.reflex import (
    allergies,
    almanac,
    clock_answers,
    day_corrections,
    emergencies,
    feelings,
    life_events,
    made_tools,
    number_questions,
    personality,
    phrase_translations,
    reckoning,
    recollection,
    replies,
    talk_followups,
)
from reachy_mind.brains.reflex.conditions import conditional, stated
from reachy_mind.brains.reflex.end_of_turn import finished
from reachy_mind.brains.reflex.favourites import favoured
from reachy_mind.brains.reflex.followups import NOTHING_YET
from reachy_mind.brains.reflex.games.game import Reply
from reachy_mind.brains.reflex.games.store import Games
from reachy_mind.brains.reflex.paraphrases import Embed
from reachy_mind.brains.reflex.photo_description import aloud, filled
from reachy_mind.brains.reflex.plan import (
    Aside,
    Ask,
    Before,
    Condition,
    Guess,
    Part,
    Pause,
    Plan,
    Play,
    Step,
    Talk,
    Unknown,
    Words,
)
from reachy_mind.brains.reflex.sense import sense_of
from reachy_mind.brains.reflex.small_talk import answered
from reachy_mind.brains.reflex.tool_requests import ToolRequests
from reachy_mind.brains.reflex.wording import Wording, usual
from reachy_mind.brains.stop_words import is_stop
from reachy_mind.tools.definition import Outcome

Understand = Callable[[str, Sequence[Before]], Plan]

REMEMBERED = 4
"""So many of its last replies are not said again."""


LESSON_TOOLS = frozenset(("list_lessons", "undo_lesson"))


def _local_time() -> datetime:
    return datetime.now().astimezone()


class Reflex:
    """Does what a plan says, step by step, and tells how it went. `understand` makes the plans; `embed` compares
    sentences with those of tools: see `ToolRequests`."""

    name = "reflex"

    def __init__(
        self,
        understand: Understand,
        games: Games | None = None,
        clock: Callable[[], datetime] = _local_time,
        embed: Embed | None = None,
    ) -> None:
        self._understand, self._clock = understand, clock
        self._requests = ToolRequests(embed)
        self._games = games if games is not None else Games()

    async def think(self, turn: Turn) -> AsyncIterator[Thought]:
        """Thoughts about a turn; each call is made when its turn comes, not before."""
        made = await self.plan(turn)
        async with contextlib.aclosing(self.follow(made, turn)) as thoughts:
            async for thought in thoughts:
                yield thought

    async def plan(self, turn: Turn) -> Plan:
        """What it would do about a turn that is no stop."""
        # Reading takes some milliseconds of arithmetic, which others need not wait for.
        return aloud(await asyncio.to_thread(self._plan, turn), turn)

    async def follow(self, made: Plan, turn: Turn) -> AsyncGenerator[Thought, None]:
        """Does what was planned for this turn."""
        spoke = False
        async with contextlib.aclosing(self.perform(made.parts, turn, made.language)) as thoughts:
            async for thought in thoughts:
                spoke = spoke or isinstance(thought, Said)
                yield thought
        if not made.parts:
            names = [tool.name for tool in turn.tools]
            yield Said(replies.lost(Unknown(turn.text), names, _wording(turn, made.language), beside=False))
        elif not spoke:
            yield Said(_wording(turn, made.language).say("done"))
        yield Done(understood=made.understood, brain=self.name)

    async def perform(
        self, parts: Sequence[Part], turn: Turn, language: str, *, alone: bool = False
    ) -> AsyncGenerator[Thought, None]:
        """Does these parts in order, and tells how it went. With `alone`, no greeting comes before them."""
        wording = _wording(turn, language)
        names = [tool.name for tool in turn.tools]
        told: list[str] = []
        calls: list[ToolCall] = []
        greets = alone or any(isinstance(part, Talk) and part.kind == "@greet" for part in parts)
        acts = any(isinstance(part, Step) for part in parts)
        if acts and not greets and (greeting := replies.greeting(turn.text)):
            told.append(greeting)
            yield Said(greeting)
        waiting = list(parts)
        while waiting:
            part, last = waiting.pop(0), calls[-1].outcome if calls else None
            if isinstance(part, Pause) and last is not None and last.status == "error":
                continue  # there is nothing to hold
            if isinstance(part, Step) and part.then_only and (last is None or last.status != "ok"):
                continue
            if isinstance(part, Condition):
                holds = part.holds(" ".join(told), calls)
                waiting[:0] = part.then if holds else part.otherwise if holds is not None else [Unknown(part.said)]
                continue
            beside = len(parts) > 1
            async for thought in self._act(filled(part, last), turn, names, wording, beside=beside, acts=acts):
                match thought:
                    case Called():
                        calls.append(thought.call)
                    case Said() if thought.text in told:
                        continue  # one reason is enough for several steps that fail for it
                    case Said():
                        told.append(thought.text)
                        yield Said(f" {thought.text}" if len(told) > 1 else thought.text)
                        continue
                yield thought
            if calls and calls[-1].outcome.status == "cancelled":
                break  # somebody wanted something else meanwhile

    def finished(self, text: str) -> float:
        """How sure one may be that somebody who said this has finished: 0 to 1."""
        return 1.0 if is_stop(text) else finished(self._understand(text, ()), text)

    def sense(self, text: str, history: Sequence[Past] = (), conversation: str = "") -> Sense:
        """What it would make of these words after those turns."""
        if is_stop(text):
            return Sense(1.0, ("stop",))
        return sense_of(self._plan(Turn(text, _refused, conversation=conversation, history=tuple(history))))

    def usual(self, language: str) -> Sequence[str]:
        """What it says again and again, so that its sound can be made ahead."""
        return usual(language)

    def _plan(self, turn: Turn) -> Plan:
        """What to do: for who is in danger, in a game, or about what was said."""
        today = self._clock().date()
        made = phrase_translations.spoken(reckoning.settled(self._read(turn), today), turn.text)
        if urgent := emergencies.urgent(turn.text, made):
            return urgent
        if playing := self._games.turn(turn, made, lambda text: self._understand(text, ())):
            return playing
        if further := self._talked_on(turn, made) or self._sums(turn, made):
            return further
        if felt := life_events.felt(turn.text, made):
            return felt
        recalled = recollection.plan(turn, made)
        if recalled == made and (allergic := allergies.plan(turn, made.language)):
            return allergic
        return almanac.answered(reckoning.recognised(recalled, turn.text, today), turn, today)

    def _talked_on(self, turn: Turn, made: Plan) -> Plan | None:
        """Another joke, what was said, the time in an hour, a phrase in another language, another day."""
        before = [past.said for past in turn.history]
        return (
            talk_followups.plan(turn, made, lambda text: self._understand(text, ()))
            or clock_answers.plan(turn.text, self._clock())
            or phrase_translations.plan(turn.text, before)
            or number_questions.plan(turn.text)
            or day_corrections.plan(turn, self._clock().date(), lambda text: self._understand(text, ()))
        )

    def _sums(self, turn: Turn, made: Plan) -> Plan | None:
        """A sum that is told as a story, or a sum or an amount that goes on from the last one."""
        last = turn.history[-1] if turn.history else None
        further = reckoning.goes_on(made, turn.text, last.said, last.reply) if last is not None else None
        further = further or reckoning.converted_further(made, turn.text, [past.said for past in turn.history])
        return further or reckoning.told_as_a_story(made, turn.text)

    def _read(self, turn: Turn) -> Plan:
        """What was said, also a "yes", and the answer to a question of ours."""
        if somebody := personality.plan(turn.text, turn.personalities):
            return somebody
        before = _before(turn.history)
        today = self._clock().date()
        decided = stated(turn.text, today, lambda text: self._understand(text, before))
        if decided or (decided := conditional(turn.text, lambda text: self._understand(text, before))):
            return decided
        asked = turn.history[-1] if turn.history else None
        if asked is None or asked.calls or asked.brain not in ("", self.name):  # another's question is not ours
            return self._requested(turn, self._understand(turn.text, before))
        open_plan = self._understand(asked.said, _before(turn.history[:-1]))
        guess = next((part for part in open_plan.parts if isinstance(part, Guess)), None)
        question = next((part for part in open_plan.parts if isinstance(part, Ask)), None)
        if question is not None:
            before = [Before(question.step.tool, question.step.args)]
        made = self._understand(turn.text, before)
        kinds = {part.kind for part in made.parts if isinstance(part, Talk)}
        if guess is not None and made.parts and not made.steps:
            if kinds and kinds <= {"@yes", "@thanks", "@praise"}:
                return Plan(guess.steps, open_plan.language)
            if kinds == {"@no"}:
                return Plan((Talk("@guess_no", turn.text),), open_plan.language)
        return self._requested(turn, made)

    def _requested(self, turn: Turn, made: Plan) -> Plan:
        """The plan, or that of a tool which serves the request better."""
        return self._requests.plan(turn, made, lambda text: self._understand(text, ()))

    async def _act(
        self, part: Part, turn: Turn, names: Sequence[str], wording: Wording, *, beside: bool, acts: bool = False
    ) -> AsyncIterator[Thought]:
        match part:
            case Step():
                async for thought in self._step(part, turn, names, wording):
                    yield thought
            case Pause():
                await asyncio.sleep(part.seconds)
            case Words() | Aside():
                yield Said(wording.say("nothing_yet") if part == NOTHING_YET else part.text)
            case Talk() if beside and part.kind == "@greet" and (greeting := replies.greeting(part.said)):
                yield Said(greeting)
            case Talk() | Play():
                if (
                    isinstance(part, Talk)
                    and part.kind == "@greet"
                    and (spoken := replies.greeting_language(part.said))
                ):
                    wording = _wording(turn, spoken)
                reply = self._reply(part, turn, names, wording, acts=acts)
                async for thought in _played(reply, turn, names):
                    yield thought
            case Ask():
                yield Said(wording.say(f"ask_{part.what}"))
            case Guess():
                yield Said(wording.say("guess", steps=wording.steps(part.steps)))
            case Unknown():
                yield Said(replies.lost(part, names, wording, beside=beside))

    def _reply(self, part: Talk | Play, turn: Turn, names: Sequence[str], wording: Wording, *, acts: bool) -> Reply:
        """What to say, and what to show with it; nothing where something else is done."""
        if isinstance(part, Play):
            return self._games.play(turn.conversation, part.said, wording)
        if part.kind == "@game":
            return self._games.begin(turn.conversation, part.said, wording)
        gesture = None if acts else feelings.gesture(part)
        told = answered(part, wording, self._clock().date(), names)
        if part.kind == "@abilities" and not part.phrase and (own := made_tools.examples(turn.tools)):
            told = f"{told} {wording.say('abilities_made', what=own)}"
        return Reply(told, after=(gesture,) if gesture else ())

    async def _step(self, step: Step, turn: Turn, names: Sequence[str], wording: Wording) -> AsyncIterator[Thought]:
        if names and step.tool not in names:
            yield Said(_instead(step) or replies.missing(step, wording))
            return
        if step.tool == "task_cancel" and not step.args and (not names or "task_status" in names):
            outcome = await turn.call("task_status", {})
            yield Called(ToolCall("task_status", {}, outcome))
            running = _running(outcome)
            if len(running) != 1:
                yield Said(replies.about(Step("task_status"), outcome, wording))
                return
            step = replace(step, args={"task_id": running[0]})
        step = favoured(step, turn)
        if step.note or step.phrase:
            yield Said(step.note or wording.say(step.phrase))
        outcome = await turn.call(step.tool, dict(step.args))
        yield Called(ToolCall(step.tool, dict(step.args), outcome))
        told = replies.about(step, outcome, wording)
        if outcome.status == "error" and (said := _instead(step)):
            told = said
        if told and not step.quiet:
            yield Said(told)


async def _refused(name: str, args: dict[str, Any]) -> Outcome:  # noqa: ARG001
    """The gate of a turn that is only thought through."""
    return Outcome("denied")


async def _played(reply: Reply, turn: Turn, names: Sequence[str]) -> AsyncIterator[Thought]:
    """What is said, and the movements that go with it, as far as there are tools for them; quietly."""
    for step in (*reply.before, None, *reply.after):
        if step is None:
            yield Said(reply.text)
        elif step.tool in names:
            outcome = await turn.call(step.tool, dict(step.args))
            yield Called(ToolCall(step.tool, dict(step.args), outcome))


def _wording(turn: Turn, language: str) -> Wording:
    recent = [past.reply for past in turn.history[-REMEMBERED:]]
    past = [past.reply for past in turn.history]
    return Wording(language, said=turn.text, recent=recent, past=past, manner=turn.manner.get(language))


def _instead(step: Step) -> str:
    """Without a voice of its own, what was to be said aloud is at least the answer."""
    return str(step.args.get("text", "")) if step.tool == "speak" else ""


def _before(history: Sequence[Past]) -> list[Before]:
    """The calls of the last turn that had any, for "again" and "more". What was told of lessons is not done again."""
    for past in reversed(history):
        if any(call.name not in LESSON_TOOLS for call in past.calls):
            return [Before(call.name, call.args, call.outcome.data) for call in past.calls]
    return []


def _running(outcome: Outcome) -> list[str]:
    tasks: Any = outcome.data.get("tasks") if isinstance(outcome.data, dict) else None
    if not isinstance(tasks, list):
        return []
    return [str(task["id"]) for task in tasks if isinstance(task, dict) and task.get("id")]
