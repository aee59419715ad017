"""Which action some words are about."""

from __future__ import annotations

import pytest

from reachy_mind.brains.brain import Past, ToolCall
from reachy_mind.feedback.attribution import attributed
from reachy_mind.tools.definition import Outcome

NOW = 1_000_000.0


def turn(said: str, tool: str = "", *, ago_s: float = 30.0, status: str = "ok", **data: object) -> Past:
    calls = (ToolCall(tool, {}, Outcome(status, data)),) if tool else ()  # type: ignore[arg-type]
    return Past(said, "", calls, turn=said, at=NOW - ago_s)


EVENING = [
    turn("dance for me", "dance"),
    turn("take a photo", "take_photo"),
    turn("nod", "nod"),
    turn("how are you"),
]


@pytest.mark.parametrize(
    ("words", "about"),
    [
        ("that dance was great", "dance"),
        ("das Foto ist schlecht", "take_photo"),
        ("tu danses trop vite", "dance"),
        ("el baile fue genial", "dance"),
        ("the one before was nicer", "take_photo"),
        ("thank you, lovely", ""),
    ],
)
def test_words_that_name_an_action_are_about_it_also_when_they_come_late(words: str, about: str) -> None:
    assert attributed(words, EVENING, NOW).tool == about


def test_other_words_are_about_the_last_turn() -> None:
    assert attributed("perfect", EVENING, NOW).turn == "how are you"
    assert attributed("perfect", EVENING[:3], NOW).tool == "nod"


def test_what_failed_or_found_nothing_or_stopped_is_no_action() -> None:
    for last in (
        turn("wave", "wave", status="error"),
        turn("look at the cup", "look_at_object", found=False),
        turn("stop", "stop"),
    ):
        assert attributed("great", [last], NOW).tool == ""


def test_nothing_is_guessed_about_what_was_long_ago_or_never() -> None:
    assert attributed("great", [], NOW).turn == ""
    assert attributed("great", [turn("nod", "nod", ago_s=7200)], NOW).turn == ""
    assert attributed("the nod was great", [turn("nod", "nod", ago_s=7200)], NOW).tool == "nod"


def test_a_clock_that_was_set_back_changes_nothing() -> None:
    assert attributed("great", [turn("nod", "nod", ago_s=-90_000)], NOW).tool == "nod"
