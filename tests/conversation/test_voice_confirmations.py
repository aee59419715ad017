"""How sure a spoken yes is."""

from __future__ import annotations

import pytest

from reachy_mind.conversation.voice_confirmations import CERTAIN_YES, yes_certainty
from reachy_mind.speech.heard import Heard
from reachy_mind.speech.transcriber import Alternative

YES, YEAH, GUESS = Alternative("Yes.", 0.8, -0.4), Alternative("Yeah.", 0.8, -0.5), Alternative("Guess.", 0.8, -0.5)


@pytest.mark.parametrize(
    ("ways", "confidence", "certain"),
    [((YES,), 0.8, True), ((YES, YEAH), 0.8, True), ((YES, GUESS), 0.8, False), ((YES,), 0.4, False), ((), None, True)],
)
def test_a_yes_that_may_have_been_something_else_is_uncertain(ways, confidence, certain):
    heard = Heard("Yes.", confidence=confidence, alternatives=ways)
    assert (yes_certainty(heard) >= CERTAIN_YES) == certain
