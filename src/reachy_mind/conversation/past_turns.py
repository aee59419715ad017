"""Earlier turns of a conversation, as a brain gets them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from reachy_mind.brains.brain import Gate, Past, ToolCall
from reachy_mind.memory.conversations import Conversations, TurnRecord
from reachy_mind.tools.definition import Outcome

MOST_EARLIER = 12


TAKEN_BACK = {"set_timer": ("cancel_timer", "timer_id"), "set_reminder": ("cancel_timer", "timer_id")}
"""What is taken back when the same is asked for otherwise: by which tool, and its argument, of the same name in the
data of the call."""


def without_repeats(call: Gate, done: Sequence[ToolCall]) -> Gate:
    """The gate of a person who went on speaking: what was done about the beginning is not done again, and a timer that
    the beginning set makes room for the one that was meant ("for five ... no, ten minutes")."""
    left = [each for each in done if each.outcome.status == "ok"]

    async def called(name: str, args: dict[str, Any]) -> Outcome:
        for each in left:
            if (each.name, each.args) == (name, args):
                left.remove(each)
                return each.outcome
        if name in TAKEN_BACK and (before := next((each for each in left if each.name == name), None)) is not None:
            left.remove(before)
            tool, argument = TAKEN_BACK[name]
            if isinstance(before.outcome.data, dict) and argument in before.outcome.data:
                await call(tool, {argument: before.outcome.data[argument]})
        return await call(name, args)

    return called


def past_of(record: TurnRecord) -> Past:
    """A stored turn as a brain gets it."""
    calls = tuple(
        ToolCall(tool["name"], tool["args"], Outcome(tool["status"], tool.get("data"))) for tool in record.tools
    )
    return Past(record.said, record.reply, calls, record.brain, record.id, record.started_at)


def earlier(conversations: Conversations) -> Callable[[str, str], Awaitable[Sequence[Past]]]:
    """Finds the latest turns of a conversation, oldest first, of all conversations, or the one turn with an id."""

    async def turns(conversation: str, turn: str) -> Sequence[Past]:
        if turn:
            return [past_of(await conversations.turn(turn))]
        return [past_of(record) for record in await conversations.latest_turns(conversation, limit=MOST_EARLIER)]

    return turns
