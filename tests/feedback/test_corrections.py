"""Corrections in words, in four languages: what they change, which way, how much; and what is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reachy_mind.feedback.corrections import read_correction, read_corrections, read_meant


def read(text: str) -> str | None:
    """The correction as "axis sign size"."""
    found = read_correction(text)
    return f"{found.axis} {found.sign:+d} {found.size}" if found else None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a little more to the left please", "yaw +1 small"),
        ("too far to the right", "yaw +1 medium"),
        ("not so far left", "yaw -1 medium"),
        ("Not so far.", "amplitude -1 medium"),
        ("nicht so weit, bitte", "amplitude -1 medium"),
        ("it's above where you're looking", "pitch +1 medium"),
        ("You're not far enough to the right", "yaw -1 medium"),
        ("no, further left", "yaw +1 medium"),
        ("a bit higher", "pitch +1 small"),
        ("you were looking way too low", "pitch +1 large"),
        ("don't look so high", "pitch -1 medium"),
        ("tilt your head slightly to the left", "roll +1 small"),
        ("too fast", "speed -1 medium"),
        ("can you go slower?", "speed -1 medium"),
        ("why are you so slow?", "speed +1 medium"),
        ("could you be any slower?", "speed +1 medium"),
        ("slower than before, please", "speed -1 medium"),
        ("you're slower than yesterday", "speed +1 medium"),
        ("not as fast as yesterday", "speed -1 medium"),
        ("not too fast please", "speed -1 medium"),
        ("not quick enough", "speed +1 medium"),
        ("your voice a bit lower", "volume -1 small"),
        ("there's no need to shout", "volume -1 medium"),
        ("stop whispering", "volume +1 medium"),
        ("I can't hear you", "volume +1 medium"),
        ("not so wild", "amplitude -1 medium"),
        ("much bigger", "amplitude +1 large"),
        ("hold it a touch longer", "duration +1 tiny"),
        ("your dance is too short", "duration +1 medium"),
        ("fewer nods", "count -1 medium"),
        ("you blink far too often", "count -1 large"),
        ("come closer", "distance -1 medium"),
        ("you're too close", "distance +1 medium"),
        ("you talk too much", "talk -1 medium"),
        ("shorter answers please", "talk -1 medium"),
        ("good but a bit slow", "speed +1 small"),
        ("perfect, just a touch lower", "pitch -1 tiny"),
        ("un peu plus à gauche", "yaw +1 small"),
        ("trop vite", "speed -1 medium"),
        ("pas si fort", "volume -1 medium"),
        ("c'est bien mais trop lent", "speed +1 medium"),
        ("tu parles trop", "talk -1 medium"),
        ("más a la derecha", "yaw -1 medium"),
        ("demasiado rápido", "speed -1 medium"),
        ("un poco más alto", "pitch +1 small"),
        ("no tan fuerte", "amplitude -1 medium"),
        ("ein bisschen weiter nach links", "yaw +1 small"),
        ("viel zu laut", "volume -1 large"),
        ("nicht so schnell", "speed -1 medium"),
        ("etwas höher", "pitch +1 small"),
        ("du redest zu viel", "talk -1 medium"),
        ("it was so fast that I could not follow", "speed -1 medium"),
        ("you drifted to the left", "yaw -1 medium"),
        ("up? no, down", "pitch -1 medium"),
        ("the cup is a bit further to the right", "yaw -1 small"),
        ("don't move so much", "amplitude -1 medium"),
        ("you went too far", "amplitude -1 medium"),
        ("bring the volume down", "volume -1 medium"),
        ("it takes you ages", "speed +1 large"),
        ("tu parles trop fort", "volume -1 medium"),
        ("no hables tan alto", "volume -1 medium"),
        ("du bist zu laut", "volume -1 medium"),
        ("shift right just a little", "yaw -1 small"),
    ],
)
def test_it_reads_a_correction(text: str, expected: str) -> None:
    assert read(text) == expected


@pytest.mark.parametrize("text", ["slowre please", "SLOWER!!!", "slowerrrr", "um slower i think", "2 fast"])
def test_it_reads_typed_and_transcribed_speech(text: str) -> None:
    found = read_correction(text)
    assert found is not None
    assert (found.axis, found.sign) == ("speed", -1)


@pytest.mark.parametrize(
    "text",
    [
        "look left",
        "turn left 30 degrees",
        "can you look up please",
        "turn left at the church",
        "the bus was too slow",
        "my brother is louder than me",
        "the music upstairs is too loud",
        "higher prices again this year",
        "there is no coffee left",
        "that's right",
        "you got it right",
        "loud enough, thank you",
        "no need to go slower, it's perfect",
        "it was not too fast",
        "not too loud, not too quiet",
        "you were too loud before, now it is just right",
        "what volume do you speak at?",
        "how far can you turn to the left?",
        "which antenna is longer?",
        "I drive slower in winter",
        "wave very slowly",
        "look up and to the left",
        "left, right, up, down",
        "turn as far left as you can",
        "turn the ball 90 degrees to the left",
        "look at the ceiling",
        "louder! not you, Tom",
        "how do you say 'a bit to the left' in French?",
        "you looked higher this time, well done",
        "much quieter, thank you",
        "you are quick, I like it",
        "bravo, Kleiner",
        "no rush",
        "she talks too much",
        "tell me a longer story about dragons",
        "good job, not too fast at all",
        "put it a bit further left on the shelf",
        "tell me more about whales",
        "perfect",
        "again",
        "Le train était trop lent",
        "tourne à gauche",
        "mein Auto ist zu langsam",
        "el tren iba demasiado lento",
        "",
        "🙂",
    ],
)
def test_what_is_no_correction_is_none(text: str) -> None:
    assert read_corrections(text) == []


def test_it_reads_several_corrections_in_the_order_they_were_said() -> None:
    found = read_corrections("lower and a bit to the left")
    assert [(each.axis, each.sign, each.size) for each in found] == [("pitch", -1, "medium"), ("yaw", 1, "small")]


def test_of_several_the_largest_counts() -> None:
    assert read("a bit fast, and much too loud") == "volume -1 large"


def test_degrees_tell_the_size() -> None:
    assert read("twenty degrees more to the left") == "yaw +1 large"
    assert read("5 degrees up") == "pitch +1 small"


def test_it_names_what_the_correction_is_about() -> None:
    found = read_correction("the left antenna a bit higher")
    assert found is not None
    assert (found.axis, found.sign, found.object) == ("pitch", 1, "left antenna")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("no, I meant dance", "dance"),
        ("I said nod, not shake", "nod"),
        ("No, not the wave, the bow.", "bow"),
        ("when I say party I mean dance", "dance"),
        ("non, je voulais dire danse", "danse"),
        ("me refería a la manzana", "manzana"),
        ("nein, ich meinte tanzen", "tanzen"),
        ("I meant it", None),
        ("I said hello to my neighbour", None),
        ("not too fast, not too slow", None),
        ("dance", None),
    ],
)
def test_it_reads_what_was_meant_instead(text: str, meant: str | None) -> None:
    assert read_meant(text) == meant


@given(st.text(max_size=400))
def test_any_text_can_be_read(text: str) -> None:
    for each in read_corrections(text):
        assert each.sign in (-1, 1)
    meant = read_meant(text)
    assert meant is None or meant
