"""Whose turn it is: what is decided without any sound."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest

from reachy_mind.brains.reflex.end_of_turn import finished
from reachy_mind.brains.reflex.plan import Plan, Step, Talk, Unknown
from reachy_mind.speech.backchannels import is_backchannel, is_murmur, wants_the_floor
from reachy_mind.speech.delegate import SpeechDelegate
from reachy_mind.speech.heard import Heard, Say
from reachy_mind.speech.phrases import meant
from reachy_mind.speech.stt import words_added
from reachy_mind.speech.turn_taking import (
    BROKEN_OFF_S,
    EXTENSIBLE_S,
    GOING_ON_S,
    LONG_S,
    MIDDLE_S,
    SHORT_S,
    TurnEndStrategy,
    silence_s,
)
from reachy_mind.speech.unfinished import unfinished


class Probability(SpeechDelegate):
    """Is as sure as it is told that a turn has ended, and notes the words it was asked about."""

    def __init__(self, sure: float) -> None:
        self._sure, self.asked = sure, list[str]()

    async def respond(self, heard: Heard) -> AsyncGenerator[Say, None]:
        yield Say(heard.text)

    async def end_of_turn_probability(self, text: str) -> float:
        self.asked.append(text)
        return self._sure


@pytest.mark.parametrize(
    "text",
    [
        "Turn your head,",
        "Turn your head.",
        "Please rotate your body",
        "turn your head to the",
        "Could you",
        "Set a timer for",
        "I think um",
        "well...",
        "Um.",
    ],
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
    delegate = Probability(sure)
    assert await TurnEndStrategy(delegate).silence_s(text) == silence
    assert delegate.asked in ([], [text])


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


@pytest.mark.parametrize("text", ["Stop!", "wait a second", "No.", "Hey", "What?", "Reachy!", "Halt."])
def test_who_says_this_wants_to_speak(text):
    assert wants_the_floor(text)


@pytest.mark.parametrize(
    ("heard", "words"),
    [("Step.", "Stop."), ("Stuff", "Stop."), ("stop!", "Stop."), ("Start.", "Start."), ("Stay", "Stay")],
)
def test_a_lone_word_that_sounds_like_stop_is_one(heard, words):
    assert meant(heard) == words


@pytest.mark.parametrize("text", ["Step back.", "Tell me a story.", "Story.", "", "It is still there."])
def test_other_words_stay_as_they_were_heard(text):
    assert meant(text) == text


@pytest.mark.parametrize(
    ("parts", "silence"),
    [
        ((Step("nod", {"times": 2}),), SHORT_S),
        ((Step("nod"),), EXTENSIBLE_S),
        ((Talk("@greet", "hello"),), SHORT_S),
        ((Step("nod"), Step("set_timer", {"minutes": 5})), EXTENSIBLE_S),
        ((Unknown("the pavement my little brother", "unsure"),), MIDDLE_S),
        ((Step("set_timer"),), LONG_S),
        ((Talk("@report", "I went to the market"),), MIDDLE_S),
        ((), MIDDLE_S),
    ],
)
async def test_what_stays_done_is_begun_later_than_what_does_not(parts, silence):
    probability = Probability(finished(Plan(parts, "en")))
    assert await TurnEndStrategy(probability).silence_s("Some words") == silence


@pytest.mark.parametrize(
    ("words", "melody", "silence"),
    [
        (0.9, None, SHORT_S),
        (0.9, 0.98, SHORT_S),
        (0.9, 0.2, MIDDLE_S),
        (0.2, 0.2, LONG_S),
        (0.9, 0.02, GOING_ON_S),
        (0.7, 0.02, GOING_ON_S),
        (0.2, 0.98, LONG_S),
        (0.2, 0.02, BROKEN_OFF_S),
        (1.0, 0.02, SHORT_S),
    ],
)
def test_a_voice_that_stays_up_makes_whole_words_doubtful_and_a_falling_one_does_not_make_broken_words_whole(
    words, melody, silence
):
    assert silence_s(words, melody) == silence


@pytest.mark.parametrize(
    ("sure", "confidence", "silence"),
    [(0.9, 0.9, SHORT_S), (0.9, 0.5, MIDDLE_S), (0.2, 0.5, LONG_S), (1.0, 0.5, SHORT_S)],
)
async def test_words_that_were_hardly_heard_wait_longer_but_for_a_stop(sure, confidence, silence):
    assert await TurnEndStrategy(Probability(sure)).silence_s("Goodie", confidence) == silence


@pytest.mark.parametrize(
    ("step", "text", "silence"),
    [
        (Step("nod"), "Nod.", EXTENSIBLE_S),
        (Step("nod", {"times": 3}), "Nod three times.", SHORT_S),
        (Step("nod", {"times": 4}), "Please nod four", LONG_S),
        (Step("move_head", {"direction": "left"}), "Look left", EXTENSIBLE_S),
        (Step("move_head", {"direction": "left"}), "Please turn your head to the left.", SHORT_S),
        (Step("set_timer", {"minutes": 20}), "Set a timer for twenty", LONG_S),
        (Step("set_timer", {"minutes": 20}), "Set a timer for twenty minutes", EXTENSIBLE_S),
        (Step("set_reminder", {"at": "09:00"}), "Remind me at nine", EXTENSIBLE_S),
        (Step("get_time"), "What time is it?", SHORT_S),
    ],
)
async def test_what_may_get_more_waits_for_it(step, text, silence):
    probability = Probability(finished(Plan((step,), "en"), text))
    assert await TurnEndStrategy(probability).silence_s(text) == silence


@pytest.mark.parametrize(
    "text",
    ["Mhm.", "Mm-hmm.", "Um.", "Ah.", "M. H. M.", "Haha", "Ha ha ha!", "Jajaja", "Hihi", "Euh.", "Ähm.", "Ajá", "Boh.",
     "[laughter]", "*cough*"],
)  # fmt: skip
def test_no_words_at_all(text):
    assert is_murmur(text)


@pytest.mark.parametrize("text", ["Hi.", "Hi, hi!", "Ja ja.", "Hm?", "Yes.", "Okay.", "Oh no.", "Thanks.", "Stop", ""])
def test_these_are_words(text):
    assert not is_murmur(text)
