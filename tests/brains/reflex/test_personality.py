"""Who wants the robot to be somebody else, and who only says "be"."""

from __future__ import annotations

import pytest

from reachy_mind.brains.brain import Past, ToolCall, Turn
from reachy_mind.brains.reflex import personality
from reachy_mind.brains.reflex.favourites import favoured
from reachy_mind.brains.reflex.plan import Step
from reachy_mind.tools.definition import Outcome

NAMES = ("default", "poet", "teacher", "night_watch", "little_friend", "grumpy", "sea-dog")


def steps(text: str) -> list[tuple[str, dict[str, object]]]:
    plan = personality.plan(text, lambda: NAMES)
    return [(step.tool, step.args) for step in plan.steps] if plan else []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("be a poet", "poet"),
        ("Be a poet!", "poet"),
        ("Hey Reachy, can you be a poet please?", "poet"),
        ("switch to the teacher personality", "teacher"),
        ("change your personality to night watch", "night_watch"),
        ("use the Night Watch profile", "night_watch"),
        ("I want you to be the teacher now", "teacher"),
        ("be my little friend", "little_friend"),
        ("become a grumpy robot", "grumpy"),
        ("act like a sea dog", "sea-dog"),
        ("be yourself again", "default"),
        ("switch back to the default personality", "default"),
        ("sei ein poet", "poet"),
        ("switch to the pirate personality", "pirate"),  # which is told to be unknown
    ],
)
def test_who_to_be(text: str, name: str) -> None:
    assert steps(text) == [("set_personality", {"name": name})]


@pytest.mark.parametrize(
    "text",
    [
        "be happy", "be quiet", "be careful with the poet", "don't be a poet", "talk like a pirate", "be a good robot",
        "switch to sleep mode", "load my profile", "show me your profile", "tell me about a poet", "is he a poet?",
        "play a game", "change to the left", "my teacher is a poet", "a poet", "poet", "", "be", "be a " + "x" * 200,
    ],
)  # fmt: skip
def test_who_means_something_else(text: str) -> None:
    assert steps(text) == []


def test_from_now_on_is_kept_and_who_asks_is_told_the_choice() -> None:
    assert steps("be a poet from now on") == [("set_personality", {"name": "poet", "keep": True})]
    assert steps("which personalities do you have?") == steps("who else can you be?") == [("list_personalities", {})]


async def _call(name: str, args: dict[str, object]) -> Outcome:
    return Outcome("ok")


def test_a_dance_that_was_left_open_is_one_that_it_likes_and_not_the_last_again() -> None:
    turn = Turn("dance", _call, moves=("happy", "waltz", "twist"))
    picked = favoured(Step("dance"), turn).args["name"]
    assert picked in ("waltz", "twist")
    again = Turn(
        "dance",
        _call,
        moves=turn.moves,
        history=(Past("dance", "", (ToolCall("dance", {"name": picked}, Outcome("ok")),)),),
    )
    assert {picked, favoured(Step("dance"), again).args["name"]} == {"waltz", "twist"}
    assert favoured(Step("dance", {"name": "salsa"}), turn).args == {"name": "salsa"}
    assert favoured(Step("dance"), Turn("dance", _call)).args == {}
