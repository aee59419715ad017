"""Whose turn it is: what is decided without any sound."""

from __future__ import annotations

import pytest

from reachy_mind.speech.backchannels import is_backchannel
from reachy_mind.speech.ears import words_added
from reachy_mind.speech.turntaking import LONG_S, MIDDLE_S, SHORT_S, Pause, unfinished


@pytest.mark.parametrize(
    "text",
    ["Turn your head,", "turn your head to the", "Could you", "Set a timer for", "I think um", "well...", "Um.", "und"],
)
def test_nobody_ends_with_this(text):
    assert unfinished(text)


@pytest.mark.parametrize("text", ["Turn your head to the left.", "What time is it?", "Nod", "", "Stop!"])
def test_this_may_be_all(text):
    assert not unfinished(text)


@pytest.mark.parametrize("text", ["Okay.", "Mm-hmm.", "uh-huh", "Yeah, right.", "I see.", "", "Mhm", "Genau."])
def test_who_listens_says_this(text):
    assert is_backchannel(text)


@pytest.mark.parametrize("text", ["Stop.", "No.", "Okay stop", "Wait", "What time is it?", "Right, and now nod"])
def test_who_wants_to_speak_says_this(text):
    assert not is_backchannel(text)


@pytest.mark.parametrize(
    ("text", "sure", "silence"),
    [
        ("Nod your head.", 0.9, SHORT_S),
        ("Who was Napoleon", 0.5, MIDDLE_S),
        ("Turn your head", 0.2, LONG_S),
        ("Turn your head to the", 0.9, LONG_S),
        ("", 0.0, SHORT_S),
    ],
)
async def test_an_answer_waits_the_longer_the_less_sure_it_is_that_all_was_said(text, sure, silence):
    async def judge(said: str) -> float:
        assert said == text
        return sure

    assert await Pause(judge).patience(text) == silence


@pytest.mark.parametrize(
    ("before", "now", "added"),
    [
        ("Look to the left.", "Look to the left and then nod.", "and then nod."),
        ("Look to the left.", "Look to the left", ""),
        ("What time is it?", "What time is it? Mm-hmm.", "Mm-hmm."),
        ("Turn your head.", "Turned your head to the left.", "to the left."),
        ("No tea.", "Nod three times please.", "times please."),
        ("", "Hello there.", "Hello there."),
    ],
)
def test_what_somebody_added_after_the_end_of_a_turn(before, now, added):
    assert words_added(before, now) == added
