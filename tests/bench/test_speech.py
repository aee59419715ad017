"""The benchmark of ears and voices: how it counts."""

from __future__ import annotations

import pytest

from reachy_mind.bench.reflex_requests import requests
from reachy_mind.bench.speech import SENTENCES, word_errors


@pytest.mark.parametrize(
    ("said", "heard", "wrong", "words"),
    [
        ("Stop.", "stop", 0, 1),
        ("Set a timer for twenty five minutes.", "Set a timer for 25 minutes!", 0, 6),
        ("Dinner is at seven thirty?", "Dinner is at 7:30", 0, 4),
        ("Call me at nine fifteen.", "call me at 915", 0, 4),
        ("down to forty percent", "Down to 40%.", 0, 4),
        ("look at the window", "look the big window", 2, 4),
        ("look at the window", "", 4, 4),
        ("yes", "yes yes yes", 2, 1),
    ],
)
def test_wrong_words_are_counted_whatever_numbers_look_like(said, heard, wrong, words):
    assert word_errors(said, heard) == (wrong, words)


def test_the_sentences_are_its_own():
    assert len(SENTENCES) == len(set(SENTENCES)) >= 30
    plain = {"".join(filter(str.isalnum, request.text.lower())) for request in requests()}
    assert [s for s in SENTENCES if len(s.split()) > 2 and "".join(filter(str.isalnum, s.lower())) in plain] == []
