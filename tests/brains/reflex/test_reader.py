"""The trained reader, as it is shipped."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reachy_mind.brains.reflex.network import Network, WeightsError, encode
from reachy_mind.brains.reflex.plan import Before
from reachy_mind.brains.reflex.reader import BEGIN, INSIDE, OUTSIDE, WEIGHTS, Found, Reader, in_order, segmented

READER = Reader.load()


def labels(text: str, *before: Before) -> list[str]:
    return [found.label for found in READER.read(text, before).found]


def test_steps_and_talk_are_found_in_their_order_with_their_words() -> None:
    reading = READER.read("hello there, could you look to your left, nod three times and set a timer for ten minutes")
    assert [found.label for found in reading.found] == ["@greet", "move_head", "nod", "set_timer"]
    assert reading.found[1].closed["direction"] == "left"
    assert reading.found[2].spans["times"].startswith("three")
    assert reading.found[3].spans["duration"] == "ten minutes"
    assert reading.language == "en" and reading.sure > 0.5


@pytest.mark.parametrize(
    ("said", "language", "label"),
    [
        ("regarde à gauche s'il te plaît", "fr", "move_head"),
        ("mira hacia arriba, por favor", "es", "move_head"),
        ("nick bitte zweimal", "de", "nod"),
        ("quelle heure est-il à Montréal ?", "fr", "get_time"),
        ("pon un temporizador de cinco minutos", "es", "set_timer"),
        ("wie wird das Wetter in Bonn?", "de", "get_weather"),
    ],
)
def test_other_languages_are_told_apart_and_read(said: str, language: str, label: str) -> None:
    reading = READER.read(said)
    assert (reading.language, [found.label for found in reading.found]) == (language, [label])


def test_what_was_done_before_counts() -> None:
    assert labels("and in Rome?", Before("get_weather", {"place": "Oslo"})) == ["get_weather"]
    assert labels("the other way", Before("move_head", {"direction": "left"})) == ["@other_way"]


def test_a_value_is_a_whole_word() -> None:
    assert READER.read("cancel task 3f2a").found[0].spans["id"] == "3f2a"


def test_a_long_text_is_read_to_its_end() -> None:
    talk = "My aunt came by yesterday and we talked about the garden for a while. " * 12
    found = READER.read(f"{talk} Please look left. {talk} And now nod twice.").found
    assert [one.label for one in found if not one.label.startswith("@")] == ["move_head", "nod"]


def test_what_is_done_later_comes_after_what_is_said_next() -> None:
    first, second, third = Found("nod", "a", later=True), Found("wave", "b"), Found("dance", "c")
    assert in_order([first, second, third]) == [second, first, third]


def test_a_sentence_is_parted_where_its_stretches_mean_something() -> None:
    places = np.full((4, 3), 0.05, np.float32)
    places[0, BEGIN] = places[1, INSIDE] = places[3, INSIDE] = 0.9
    places[2, BEGIN], places[2, INSIDE], places[2, OUTSIDE] = 0.4, 0.5, 0.1
    whole_is_nothing = {(0, 4): 0.01, (0, 2): 0.99, (2, 4): 0.99}
    assert segmented(places, whole_is_nothing) == [(0, 2), (2, 4)]
    halves_are_nothing = {(0, 4): 0.99, (0, 2): 0.01, (2, 4): 0.01}
    assert segmented(places, halves_are_nothing) == [(0, 4)]


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=500))
def test_no_text_is_too_strange(said: str) -> None:
    reading = READER.read(said)
    assert 0 <= reading.sure <= 1
    assert all(said[found.start : found.end] == found.said or len(said) > 200 for found in reading.found)


def test_a_long_word_does_not_crowd_out_the_rest() -> None:
    encoded = encode(["x" * 10_000, "nod"], [], Network.load(WEIGHTS).pieces)
    assert len(encoded.firsts) == 2


def test_weights_that_are_missing_or_broken_are_named(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match=r"gone\.npz"):
        Reader.load(tmp_path / "gone.npz")
    (tmp_path / "cut.npz").write_bytes(WEIGHTS.read_bytes()[:100_000])
    with pytest.raises(WeightsError, match=r"cut\.npz") as caught:
        Reader.load(tmp_path / "cut.npz")
    assert "learn reflex" in caught.value.hint


def test_the_weights_are_small() -> None:
    assert WEIGHTS.stat().st_size < 30 << 20
