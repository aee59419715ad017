"""One evening: a person corrects, praises and disagrees by chat, and the robot gets better turn by turn.

How that is measured: the person wants a few things in a certain way (`WISHES`). A request that is done another way is a
miss, and the person says so until it is right. Each round asks for the same things again; what counts are the misses
at the first try of a round and the corrections that were needed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from reachy_mind.body.address import Address
from reachy_mind.conversation.response import Response
from reachy_mind.mind import Mind

pytestmark = pytest.mark.process


@dataclass(frozen=True)
class Wish:
    """What a person asks for, whether it was done as they want it, and what they say when it was not."""

    requests: tuple[str, ...]
    tool: str
    right: Callable[[dict[str, Any]], bool]
    complaint: str


def _far_left(done: dict[str, Any]) -> bool:
    return done["final_position"]["yaw"] - done["final_position"]["body_yaw"] > 31


WISHES = (
    Wish(
        ("look left", "Please look to the left.", "look to your left"),
        "move_head",
        lambda done: not _far_left(done),
        "not so far to the left",
    ),
    Wish(
        ("look at the apple", "Can you look at the apple?", "now look at the apple"),
        "look_at_object",
        lambda done: done["offset"]["pitch"] <= -8,
        "a bit lower please",
    ),
    Wish(
        ("nod", "nod please", "Can you nod?"),
        "nod",
        lambda done: done["duration_s"] > 2.5,
        "too fast",
    ),
    Wish(
        ("do the goodnight thing", "Do your goodnight thing, please!", "please do the goodnight thing"),
        "set_antennas",
        lambda done: True,
        "no, I meant wiggle your antennas",
    ),
)


class Person:
    """Talks to the robot until each wish is fulfilled, or three corrections did not help."""

    def __init__(self, mind: Mind, name: str) -> None:
        self._mind, self._name, self._conversation = mind, name, ""
        self.turns = 0

    async def say(self, text: str) -> Response:
        self.turns += 1
        said = await self._mind.ask(text, person=self._name, conversation=self._conversation or None)
        assert said.error is None, said.error
        self._conversation = said.conversation
        return said

    async def first_try(self, wish: Wish, request: str) -> bool:
        return _right(wish, await self.say(request))

    async def insist(self, wish: Wish, request: str) -> tuple[bool, int]:
        """Whether the first try was right, and how many corrections were needed."""
        said = await self.say(request)
        first = _right(wish, said)
        for corrections in range(4):
            if _right(wish, said):
                return first, corrections
            said = await self.say(wish.complaint)
        pytest.fail(f"{request}: corrections did not help")


def _right(wish: Wish, said: Response) -> bool:
    calls = [call for call in said.tool_calls if call.outcome.status == "ok"]
    return bool(calls) and calls[-1].name == wish.tool and wish.right(calls[-1].outcome.data)


async def test_an_evening_of_corrections(robot: Address, home: Path) -> None:
    async with Mind(robot=str(robot), idle=False).session() as mind:
        ada = Person(mind, "Ada")
        rounds = []
        for number in range(3):
            misses = corrections = 0
            for wish in WISHES:
                first, needed = await ada.insist(wish, wish.requests[number])
                misses, corrections = misses + (not first), corrections + needed
            await ada.say(("Perfect, well done!", "My boss is terrible, she shouted at me.", "Thank you.")[number])
            rounds.append((misses, corrections))
        assert rounds[0][0] == len(WISHES) and rounds[0][1] >= len(WISHES)
        assert rounds[1] == (0, 0) and rounds[2] == (0, 0), rounds
        told = (await ada.say("What did you learn from me?")).text
        assert "lower" in told and "slow" in told and "goodnight thing" in told, told
        other = Person(mind, "Ben")
        assert not any([await other.first_try(wish, wish.requests[0]) for wish in (WISHES[0], WISHES[3])])
        assert "not corrected me" in (await other.say("What did you learn from me?")).text

    async with Mind(robot=str(robot), idle=False).session() as mind:  # the next morning
        ada = Person(mind, "Ada")
        assert all([await ada.first_try(wish, wish.requests[1]) for wish in WISHES])
        assert "slow" in (await ada.say("Please forget the thing about the nod.")).text
        kept = [await ada.first_try(wish, wish.requests[2]) for wish in WISHES]
        assert kept == [wish.tool != "nod" for wish in WISHES], "only what was to be forgotten is"
        assert mind.memory is not None
        await mind.memory.erasure.erase("Ada")
        assert mind.feedback.service.lessons("ada") == []
        assert not await ada.first_try(WISHES[0], WISHES[0].requests[0])
