"""`Reflex`: the brain that needs no language model. Stop first, then what is understood; it answers in milliseconds."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from dataclasses import replace
from typing import Any

from reachy_mind.brains import replies
from reachy_mind.brains.aloud import aloud, filled
from reachy_mind.brains.favourites import favoured
from reachy_mind.brains.finished import finished
from reachy_mind.brains.plan import Aside, Ask, Before, Guess, Part, Pause, Plan, Step, Talk, Unknown, Words
from reachy_mind.brains.rules import personality
from reachy_mind.brains.stops import is_stop
from reachy_mind.brains.talk import answered
from reachy_mind.brains.thought import Call, Called, Done, Past, Said, Thought, Turn
from reachy_mind.brains.wording import Wording, usual
from reachy_mind.tools.definition import Outcome

Understand = Callable[[str, Sequence[Before]], Plan]

REMEMBERED = 4
"""So many of its last replies are not said again."""


class Reflex:
    """Does what a plan says, step by step, and tells how it went. `understand` makes the plans."""

    name = "reflex"

    def __init__(self, understand: Understand) -> None:
        self._understand = understand

    async def think(self, turn: Turn) -> AsyncIterator[Thought]:
        """Thoughts about a turn; each call is made when its turn comes, not before."""
        if is_stop(turn.text):
            outcome = await turn.call("stop", {})
            yield Called(Call("stop", {}, outcome))
            yield Said(replies.about(Step("stop"), outcome, _wording(turn, "en")) or "Stopped.")
            yield Done()
            return
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
        wording = _wording(turn, made.language)
        names = [tool.name for tool in turn.tools]
        told: list[str] = []
        last: Outcome | None = None
        greets = any(isinstance(part, Talk) and part.kind == "@greet" for part in made.parts)
        if made.steps and not greets and (greeting := replies.greeting(turn.text)):
            told.append(greeting)
            yield Said(greeting)
        for part in made.parts:
            if isinstance(part, Pause) and last is not None and last.status == "error":
                continue  # there is nothing to hold
            async for thought in self._act(filled(part, last), turn, names, wording, beside=len(made.parts) > 1):
                match thought:
                    case Called():
                        last = thought.call.outcome
                    case Said() if thought.text in told:
                        continue  # one reason is enough for several steps that fail for it
                    case Said():
                        told.append(thought.text)
                        yield Said(f" {thought.text}" if len(told) > 1 else thought.text)
                        continue
                yield thought
            if last is not None and last.status == "cancelled":
                break  # somebody wanted something else meanwhile
        if not made.parts:
            yield Said(replies.lost(Unknown(turn.text), names, wording, beside=False))
        elif not told:
            yield Said(wording.say("done"))
        yield Done(understood=made.understood, brain=self.name)

    def finished(self, text: str) -> float:
        """How sure one may be that somebody who said this has finished: 0 to 1."""
        return 1.0 if is_stop(text) else finished(self._understand(text, ()))

    def usual(self, language: str) -> Sequence[str]:
        """What it says again and again, to be made ready by whoever speaks."""
        return usual(language)

    def _plan(self, turn: Turn) -> Plan:
        """What to do, also about a "yes", and about the answer to a question of ours."""
        if somebody := personality.plan(turn.text, turn.personalities):
            return somebody
        before = _before(turn.history)
        asked = turn.history[-1] if turn.history else None
        if asked is None or asked.calls or asked.brain not in ("", self.name):  # another's question is not ours
            return self._understand(turn.text, before)
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
        return made

    async def _act(
        self, part: Part, turn: Turn, names: Sequence[str], wording: Wording, *, beside: bool
    ) -> AsyncIterator[Thought]:
        match part:
            case Step():
                async for thought in self._step(part, turn, names, wording):
                    yield thought
            case Pause():
                await asyncio.sleep(part.seconds)
            case Words() | Aside():
                yield Said(part.text)
            case Talk() if beside and part.kind == "@greet" and (greeting := replies.greeting(part.said)):
                yield Said(greeting)
            case Talk():
                yield Said(answered(part, wording))
            case Ask():
                yield Said(wording.say(f"ask_{part.what}"))
            case Guess():
                yield Said(wording.say("guess", steps=wording.steps(part.steps)))
            case Unknown():
                yield Said(replies.lost(part, names, wording, beside=beside))

    async def _step(self, step: Step, turn: Turn, names: Sequence[str], wording: Wording) -> AsyncIterator[Thought]:
        if names and step.tool not in names:
            yield Said(_instead(step) or replies.missing(step, wording))
            return
        if step.tool == "task_cancel" and not step.args and (not names or "task_status" in names):
            outcome = await turn.call("task_status", {})
            yield Called(Call("task_status", {}, outcome))
            running = _running(outcome)
            if len(running) != 1:
                yield Said(replies.about(Step("task_status"), outcome, wording))
                return
            step = replace(step, args={"task_id": running[0]})
        step = favoured(step, turn)
        if step.note:
            yield Said(step.note)
        outcome = await turn.call(step.tool, dict(step.args))
        yield Called(Call(step.tool, dict(step.args), outcome))
        told = replies.about(step, outcome, wording)
        if outcome.status == "error" and (said := _instead(step)):
            told = said
        if told and not step.quiet:
            yield Said(told)


def _wording(turn: Turn, language: str) -> Wording:
    recent = [past.reply for past in turn.history[-REMEMBERED:]]
    return Wording(language, said=turn.text, recent=recent, manner=turn.manner.get(language))


def _instead(step: Step) -> str:
    """Without a voice of its own, what was to be said aloud is at least the answer."""
    return str(step.args.get("text", "")) if step.tool == "speak" else ""


def _before(history: Sequence[Past]) -> list[Before]:
    """The calls of the last turn that had any, for "again" and "more"."""
    for past in reversed(history):
        if past.calls:
            return [Before(call.name, call.args, call.outcome.data) for call in past.calls]
    return []


def _running(outcome: Outcome) -> list[str]:
    tasks: Any = outcome.data.get("tasks") if isinstance(outcome.data, dict) else None
    if not isinstance(tasks, list):
        return []
    return [str(task["id"]) for task in tasks if isinstance(task, dict) and task.get("id")]
