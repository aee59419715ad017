"""`Reflex`: the brain that needs no language model. Stop words first, then the grammar; it answers in milliseconds."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from reachy_mind.brains import replies
from reachy_mind.brains.grammar import plan
from reachy_mind.brains.plan import Before, Pause, Plan, Step, Unknown, Words
from reachy_mind.brains.stops import is_stop
from reachy_mind.brains.thought import Call, Called, Done, Said, Thought, Turn
from reachy_mind.tools.definition import Outcome

Understand = Callable[[str, Sequence[Before]], Plan]


class Reflex:
    """Does what a plan says, step by step, and tells how it went. `understand` makes the plans."""

    name = "reflex"

    def __init__(self, understand: Understand = plan) -> None:
        self._understand = understand

    async def think(self, turn: Turn) -> AsyncIterator[Thought]:
        """Thoughts about a turn; each call is made when its turn comes, not before."""
        if is_stop(turn.text):
            outcome = await turn.call("stop", {})
            yield Called(Call("stop", {}, outcome))
            yield Said(replies.about(Step("stop"), outcome, turn.text) or "Stopped.")
            yield Done()
            return
        made = self._understand(turn.text, _before(turn))
        names = [tool.name for tool in turn.tools]
        told: list[str] = []
        last: Outcome | None = None
        if made.steps and (greeting := replies.greeting(turn.text)):
            told.append(greeting)
            yield Said(greeting)
        for part in made.parts:
            if isinstance(part, Pause) and last is not None and last.status == "error":
                continue  # there is nothing to hold
            async for thought in self._act(part, turn, names, beside=len(made.parts) > 1):
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
            yield Said(replies.lost(Unknown(turn.text), names, beside=False))
        elif not told:
            yield Said(replies.chosen(replies.DONE, turn.text))
        yield Done(understood=made.understood)

    async def _act(self, part: object, turn: Turn, names: Sequence[str], *, beside: bool) -> AsyncIterator[Thought]:
        match part:
            case Step():
                async for thought in self._step(part, turn, names):
                    yield thought
            case Pause():
                await asyncio.sleep(part.seconds)
            case Words():
                yield Said(part.text)
            case Unknown():
                yield Said(replies.lost(part, names, beside=beside))

    async def _step(self, step: Step, turn: Turn, names: Sequence[str]) -> AsyncIterator[Thought]:
        if names and step.tool not in names:
            yield Said(_instead(step) or replies.missing(step))
            return
        args = dict(step.args)
        if step.tool == "task_cancel" and not args and (not names or "task_status" in names):
            outcome = await turn.call("task_status", {})
            yield Called(Call("task_status", {}, outcome))
            running = _running(outcome)
            if len(running) != 1:
                yield Said(replies.about(Step("task_status"), outcome, turn.text))
                return
            args = {"task_id": running[0]}
        if step.note:
            yield Said(step.note)
        outcome = await turn.call(step.tool, args)
        yield Called(Call(step.tool, args, outcome))
        told = replies.about(step, outcome, turn.text)
        if outcome.status == "error" and (said := _instead(step)):
            told = said
        if told:
            yield Said(told)


def _instead(step: Step) -> str:
    """Without a voice of its own, what was to be said aloud is at least the answer."""
    return str(step.args.get("text", "")) if step.tool == "speak" else ""


def _before(turn: Turn) -> list[Before]:
    """The calls of the last turn that had any, for "again" and "more"."""
    for past in reversed(turn.history):
        if past.calls:
            return [Before(call.name, call.args, call.outcome.data) for call in past.calls]
    return []


def _running(outcome: Outcome) -> list[str]:
    tasks: Any = outcome.data.get("tasks") if isinstance(outcome.data, dict) else None
    if not isinstance(tasks, list):
        return []
    return [str(task["id"]) for task in tasks if isinstance(task, dict) and task.get("id")]
