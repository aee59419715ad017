"""Earlier turns of a conversation, as a brain gets them."""

from __future__ import annotations

import re
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from reachy_mind.brains.brain import Gate, Past, ToolCall
from reachy_mind.memory.conversations import Conversations, TurnRecord
from reachy_mind.tools.definition import Outcome

MOST_EARLIER = 12
CORRECTED_WITHIN_S = 30.0
"""A "no, ..." after this time is about something else."""
_CORRECTION = re.compile(
    r"\W*(?:oh\W+)?(?:no|nope|sorry|wait|i meant?|not|non|pardon|je voulais dire|perd[oó]n|quer[ií]a decir|nein|sorry"
    r"|ich mein(?:t)?e|entschuldigung|scusa|volevo dire)\b(?! (?:problem|worries|thanks|need|hay|grazie|danke))",
    re.IGNORECASE,
)


TAKEN_BACK = {"set_timer": ("cancel_timer", "timer_id"), "set_reminder": ("cancel_timer", "timer_id")}
"""What is taken back when the same is asked for otherwise: by which tool, and its argument, of the same name in the
data of the call."""


def without_repeats(call: Gate, done: Sequence[ToolCall]) -> Gate:
    """The gate of a person who went on speaking: what was done about the beginning is not done again, and a timer that
    the beginning set makes room for the one that was meant ("for five ... no, ten minutes")."""
    left = [each for each in done if each.outcome.status == "ok"]
    taking_back = _taking_back(call, left)

    async def called(name: str, args: dict[str, Any]) -> Outcome:
        for each in left:
            if (each.name, each.args) == (name, args):
                left.remove(each)
                return each.outcome
        return await taking_back(name, args)

    return called


def continued(
    call: Gate, text: str, past: tuple[Past, ...], context: Mapping[str, Any]
) -> tuple[Gate, tuple[Past, ...]]:
    """The gate and the earlier turns of a person who goes on with, or corrects, what they said just before."""
    if context.get("continues") is True and past and is_beginning(past[-1], context.get("voice_began_at", 0.0)):
        *before, begun = past  # the last turn was the beginning of this one
        return without_repeats(call, begun.calls), tuple(before)
    if past and corrects(text, past[-1]):
        return corrected(call, past[-1].calls), past
    return call, past


def is_beginning(before: Past, voice_began_at: float) -> bool:
    """Whether that turn was the beginning of what somebody says, whose voice began at that monotonic time (0: not
    known). An answer that was given up early enough left no turn."""
    return not voice_began_at or not before.at or before.at >= time.time() - (time.monotonic() - voice_began_at)


def corrects(said: str, before: Past) -> bool:
    """Whether somebody corrects what they said just before: "no, ten minutes"."""
    return _CORRECTION.match(said) is not None and time.time() - before.at < CORRECTED_WITHIN_S


def corrected(call: Gate, done: Sequence[ToolCall]) -> Gate:
    """The gate of a person who corrects what they said before: a timer of then makes room for the one of now."""
    return _taking_back(call, [each for each in done if each.outcome.status == "ok"])


def _taking_back(call: Gate, left: list[ToolCall]) -> Gate:
    async def called(name: str, args: dict[str, Any]) -> Outcome:
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
