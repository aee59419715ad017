"""What follows an emotion that the robot shows is said in a mood like it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

import pytest

from reachy_mind.brains.brain import Called, Said, ToolCall
from reachy_mind.conversation.events import TurnEvent
from reachy_mind.conversation.reply_speech import ReplySpeech
from reachy_mind.motion.library.emotions import EMOTIONS
from reachy_mind.speech.heard import Say
from reachy_mind.speech.moods import MOOD_OF_EMOTION, MOODS
from reachy_mind.tools.definition import Outcome
from reachy_mind.tools.registry import Registry


def called(name: str, status: Any = "ok", **args: Any) -> Called:
    return Called(ToolCall(name, args, Outcome(status, call_id="1")))


async def moods(*events: TurnEvent, on: bool = True) -> list[tuple[str, str]]:
    """What is said for these events, and in which mood."""

    async def turn() -> AsyncGenerator[TurnEvent, None]:
        for event in events:
            yield event

    speech = ReplySpeech("en", Registry(), lambda: "thinking", at_robot=True, moods=on)
    said = [piece async for piece in speech.spoken(turn(), acknowledge=False)]
    return [(piece.text, piece.mood) for piece in said if isinstance(piece, Say)]


async def test_words_after_an_emotion_are_said_in_its_mood() -> None:
    shown = called("express_emotion", emotion="heartbroken")
    assert await moods(Said("Oh. "), shown, Said("I am sad.")) == [("Oh. ", ""), ("I am sad.", "sad")]
    both = await moods(called("express_emotion", emotion="happy"), Said("Yes. "), called("nod"), Said("Indeed."))
    assert both == [("Yes. ", "cheerful"), ("Indeed.", "cheerful")], "another movement changes no mood"


@pytest.mark.parametrize(
    "event",
    [
        called("nod"),
        called("express_emotion", "denied", emotion="sad"),
        called("express_emotion", "error", emotion="no such thing"),
    ],
)
async def test_what_is_no_emotion_or_was_not_shown_changes_nothing(event: Called) -> None:
    assert await moods(event, Said("Well.")) == [("Well.", "")]


async def test_an_emotion_without_a_mood_and_one_that_is_unknown_are_neutral() -> None:
    assert await moods(
        called("express_emotion", emotion="sad"), called("express_emotion", emotion="neutral"), Said("x")
    ) == [("x", "neutral")]
    assert await moods(called("express_emotion", emotion=""), Said("x")) == [("x", "neutral")]


async def test_moods_can_be_switched_off() -> None:
    assert await moods(called("express_emotion", emotion="sad"), Said("Well."), on=False) == [("Well.", "")]


def test_every_mood_of_an_emotion_exists_and_so_does_the_emotion() -> None:
    assert set(MOOD_OF_EMOTION.values()) <= set(MOODS)
    assert set(MOOD_OF_EMOTION) <= set(EMOTIONS)
