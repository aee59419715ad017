"""What is done about words that were heard too uncertainly."""

from __future__ import annotations

import pytest

from reachy_mind.brains.brain import Sense
from reachy_mind.conversation import ask_back
from reachy_mind.conversation.ask_back import AskBack, Decision
from reachy_mind.conversation.hearing_judge import Judgement
from reachy_mind.speech.transcriber import Alternative

SORRY = Decision(reply="Sorry, I did not get that.")


def heard(text: str, certainty: float, *tools: str, worth: float = 1.0) -> Judgement:
    return Judgement(Alternative(text, certainty, -1.0), Sense(worth, tools), certainty)


@pytest.fixture
def back() -> AskBack:
    return AskBack("en", lambda tools: "nod" in tools)


def decide(
    back: AskBack, text: str, certainty: float, *tools: str, worth: float = 1.0, called: bool = True
) -> Decision:
    return back.decide(text, heard(text, certainty, *tools, worth=worth), called=called)


def test_what_is_certain_is_done_and_what_is_not_is_asked_about(back):
    assert decide(back, "Nod.", 0.95, "nod") == Decision("Nod.")
    assert not back.asking
    assert decide(back, "Nod.", 0.3, "nod") == Decision(reply='Did you say "Nod"?')
    assert back.asking


def test_a_yes_does_it_and_a_no_drops_it(back):
    decide(back, "Nod.", 0.3, "nod")
    assert decide(back, "Yes, please.", 0.9) == Decision("Nod.")
    assert decide(back, "Yes.", 0.9) == Decision("Yes."), "once"
    decide(back, "Nod.", 0.3, "nod")
    assert decide(back, "No.", 0.9) == Decision(reply="All right.")
    assert not back.asking


def test_another_sentence_takes_its_place(back):
    decide(back, "Nod.", 0.3, "nod")
    assert decide(back, "What time is it?", 0.9, "get_time") == Decision("What time is it?")
    assert decide(back, "Yes.", 0.9) == Decision("Yes."), "nothing is asked any more"


def test_an_uncertain_yes_does_nothing(back):
    decide(back, "Nod.", 0.3, "nod")
    assert decide(back, "Yes.", 0.1, worth=0.0) == SORRY


def test_a_yes_that_comes_too_late_is_none(back, monkeypatch):
    decide(back, "Nod.", 0.3, "nod")
    now = ask_back.time.monotonic()
    monkeypatch.setattr(ask_back.time, "monotonic", lambda: now + ask_back.ANSWER_WITHIN_S + 1)
    assert decide(back, "Yes.", 0.9) == Decision("Yes.")


def test_what_changes_nothing_need_be_less_certain_and_talk_not_at_all(back):
    assert decide(back, "What time is it?", 0.45, "get_time") == Decision("What time is it?")
    assert decide(back, "What time is it?", 0.2, "get_time").reply == 'Did you say "What time is it"?'
    assert decide(back, "I was in Lisbon.", 0.2, worth=0.8) == Decision("I was in Lisbon.")


def test_a_stop_is_never_asked_about(back):
    assert decide(back, "Stop.", 0.05, "stop") == Decision("Stop.")


def test_words_without_sense_get_a_sorry_twice_in_a_row(back):
    answers = [decide(back, "Aw the gull.", 0.2, worth=0.05) for _ in range(3)]
    assert answers == [SORRY, SORRY, Decision()]
    assert decide(back, "Hello.", 0.9) == Decision("Hello.")
    assert decide(back, "Aw the gull.", 0.2, worth=0.05) == SORRY


def test_talk_beside_the_robot_gets_no_sorry(back):
    assert decide(back, "Aw the gull.", 0.2, worth=0.05, called=False) == Decision()


def test_ears_that_do_not_know_how_sure_they_are_are_believed(back):
    assert back.decide("Nod.", None, called=True) == Decision("Nod.")


def test_it_asks_in_the_language_of_the_conversation():
    back = AskBack("de", bool)
    assert decide(back, "Nicke.", 0.2, "nod").reply == "Sagtest du \u201eNicke\u201c?"
    assert decide(back, "Ja.", 0.9) == Decision("Nicke.")
