"""Stop words: what stops the robot at once, and what does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reachy_mind.brains.stops import is_stop

STOPS = """stop|Stop!|STOP STOP STOP!!!|please stop|stop it now|stop moving|Stop dancing, please|okay that's enough
That\u2019s enough!|Halt!|freeze|hold it|hold still please|don't move|no, stop|hey robot stop|can you stop|stooop
Stop right there|enough already|emergency stop|whoa|cut it out|stop what you're doing|will you please stop talking
be quiet|wait!|stop. now.
arrête|Arrête-toi !|arrêtez s'il te plaît|ça suffit|stoppe tout|ne bouge plus|ARRETE
para|¡Para ya!|basta|¡alto!|quieto, por favor|no te muevas|detente ahora mismo|ya basta
stopp|halt|hör auf|Hör sofort auf damit|Schluss jetzt|anhalten bitte|es reicht|bleib stehen"""
NOT_STOPS = """don't stop|never stop dancing|what is a bus stop|stop the timer|stop following me
the train did not stop here|I could not stop laughing|stop by the shop later|non-stop music|do not stop|stopwatch
stop the background task|nod
look left and stop the timer|please|no|now||...|para ti|halte den Ball|how do I stop a nosebleed|the show must go on"""


def lines(text: str) -> list[str]:
    return [said for line in text.split("\n") for said in line.split("|")]


@pytest.mark.parametrize("said", lines(STOPS))
def test_stops(said: str) -> None:
    assert is_stop(said)


@pytest.mark.parametrize("said", lines(NOT_STOPS))
def test_merely_mentions_it(said: str) -> None:
    assert not is_stop(said)


@given(st.text(max_size=300))
def test_any_text_is_one_or_the_other(said: str) -> None:
    assert is_stop(said) in (True, False)


@given(
    st.sampled_from(["stop", "freeze", "arrête", "basta", "hör auf"]),
    st.integers(1, 5),
    st.sampled_from([" ", "! ", ", "]),
)
def test_said_again_it_is_still_a_stop(word: str, times: int, between: str) -> None:
    assert is_stop(between.join([word.upper()] * times))
