"""Conditions that one look decides: how many there must be, and which answer to a question counts."""

from __future__ import annotations

from typing import Any

import pytest

from reachy_mind.brains.brain import ToolCall
from reachy_mind.brains.reflex.at_once import at_once
from reachy_mind.brains.reflex.plan import Condition, Step
from reachy_mind.brains.reflex.reader import Reader
from reachy_mind.brains.reflex.understanding import Understanding
from reachy_mind.tools.definition import Outcome


@pytest.fixture(scope="module")
def understanding() -> Understanding:
    return Understanding(Reader.load())


@pytest.mark.parametrize(
    ("said", "faces", "holds"),
    [
        ("if you can see more than two people right now do a little dance", 2, False),
        ("if you can see more than two people right now do a little dance", 3, True),
        ("if there are at least two people nod", 2, True),
        ("check whether anyone is in the room and if not go to sleep", 0, True),
        ("check whether anyone is in the room and if not go to sleep", 1, False),
        ("is anybody there? if so, wave", 1, True),
        ("guck mal ob jemand da ist und wenn ja sag hallo", 0, False),
    ],
)
def test_the_condition_holds_for_what_is_seen(
    understanding: Understanding, said: str, faces: int, *, holds: bool
) -> None:
    made = at_once(said, understanding.plan)
    assert made is not None
    look, condition = made.parts
    assert isinstance(look, Step) and isinstance(condition, Condition)
    seen: dict[str, Any] = {"count": faces, "faces": [{"name": ""}] * faces}
    assert condition.holds("", [ToolCall(look.tool, look.args, Outcome(status="ok", data=seen))]) is holds


@pytest.mark.parametrize(
    "said", ["is anybody there?", "see if you like it", "keep an eye on my cup and nod if it is gone"]
)
def test_what_waits_or_only_asks_is_not_decided_by_one_look(understanding: Understanding, said: str) -> None:
    assert at_once(said, understanding.plan) is None
