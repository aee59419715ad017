"""What is said of what is written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reachy_mind.speech.speakable_text import spoken


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("**Bold**, *soft* and ~~gone~~ with `code`", "Bold, soft and gone with code"),
        ("# Heading\n\n> quoted", "Heading\nquoted"),
        ("- one\n* two\n1. three", "one\ntwo\n1, three"),
        ("Look:\n```py\nprint(1)\n```\nDone.", "Look:\nDone."),
        ("```py\nnever closed", ""),
        ("See [the manual](https://x.org/a_b?c=1).", "See the manual."),
        ("See https://www.example.com/a/b?c=d#e now.", "See example dot com now."),
        ("Go to www.example.org.", "Go to example dot org."),
        ("![a cat](cat.png) here", "a cat here"),
        ("Hi 😀👍🏽 there 🇩🇪!", "Hi there !"),
        ("<b>bold</b> &amp; <script>x()</script>", "bold and x()"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "a , b\n1 , 2"),
        ("It is 21 °C, or 69.8°F.", "It is 21 degrees Celsius, or 69.8 degrees Fahrenheit."),
        ("Turn by 90° at -5 °C.", "Turn by 90 degrees at minus 5 degrees Celsius."),
        ("1 km is 1000 m, at 5 km/h.", "1 kilometre is 1000 m, at 5 kilometres per hour."),
        ("At 12:30, 7:05 or 7:00 and 9:00 pm.", "At 12 30, 7 oh 5 or 7 o'clock and 9 pm."),
        ("50% of $3.50 or 2 €", "50 percent of 3.50 dollars or 2 euros"),
        ("From 3–5 snake_case words", "From 3 to 5 snake case words"),
        ("a\x00b\x07c\x1b[31m", "a b c 31m"),
        ("[[h@l0U]] {x} \\n", "h@l0U x n"),
        ("Don't say 'no', \"yes\" is 3.5 times better!", "Don't say 'no', \"yes\" is 3.5 times better!"),
        ("", ""),
        ("🎉🎉", ""),
    ],
)
def test_only_what_can_be_said_is_left(written, said):
    assert spoken(written) == said


def test_other_languages_keep_their_own_way_with_units():
    assert spoken("**Es sind 21 °C um 12:30** 😀", "de") == "Es sind 21 °C um 12:30"


@given(st.text(max_size=300) | st.text(st.sampled_from("a1*_-`<>|[]()#&;:. \n\x00°😀"), max_size=100))
def test_nothing_that_cannot_be_said_is_left(text):
    said = spoken(text)
    assert not set(said) & set("*_`<>|[]{}#\\~^=\x00\x1b\t\r😀")
    assert all(line == " ".join(line.split()) != "" for line in said.splitlines())
