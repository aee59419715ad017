"""Which of several ways to understand a sound was meant."""

from __future__ import annotations

import pytest

from reachy_mind.brains.brain import Sense
from reachy_mind.conversation.hearing_judge import MARGIN, STOP_MARGIN, judged
from reachy_mind.speech.transcriber import Alternative

NOD, NOT = Sense(1.0, ("nod",)), Sense(0.05)


def way(text: str, score: float, confidence: float = 0.6) -> Alternative:
    return Alternative(text, confidence, score)


def test_of_two_that_sound_alike_the_one_that_makes_sense_was_meant():
    assert judged([(way("Not twice.", -2.0), NOT), (way("Nod twice.", -2.8), NOD)]).chosen.text == "Nod twice."


def test_a_command_that_sounds_much_less_likely_was_not():
    unlikely = way("Nod twice.", -2.0 - MARGIN - 0.1)
    assert judged([(way("Not twice.", -2.0), NOT), (unlikely, NOD)]).chosen.text == "Not twice."


def test_of_two_that_make_sense_the_likelier_was_meant():
    said = [(way("Look left.", -1.0), Sense(0.9, ("move_head",))), (way("Look lost.", -1.4), Sense(1.0, ("feel",)))]
    assert judged(said).chosen.text == "Look left."


def test_a_stop_wins_where_it_may_have_been_said():
    step, stop = (way("Step.", -0.5), Sense(1.0, ())), (way("Stop.", -0.5 - STOP_MARGIN + 0.1), Sense(1.0, ("stop",)))
    assert judged([step, stop]).chosen.text == "Stop."
    assert judged([step, (way("Stop.", -0.6 - STOP_MARGIN), Sense(1.0, ("stop",)))]).chosen.text == "Step."


@pytest.mark.parametrize(
    ("other", "certain"), [(Sense(1.0, ("nod",)), True), (Sense(1.0, ("shake",)), False), (Sense(1.0), False)]
)
def test_it_is_less_certain_where_it_may_mean_another_action(other, certain):
    judgement = judged([(way("Nod, please.", -1.0, 0.9), NOD), (way("Not, please.", -1.2, 0.9), other)])
    assert (judgement.certainty > 0.8) == certain
    assert (judgement.certainty < 0.6) != certain


def test_alone_it_is_as_certain_as_it_was_heard():
    assert judged([(way("Nod.", -0.1, 0.87), NOD)]).certainty == 0.87
