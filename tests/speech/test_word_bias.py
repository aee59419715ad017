"""Words to expect get a bonus, and lose it when another word is written."""

from __future__ import annotations

import pytest

from reachy_mind.speech import moonshine
from reachy_mind.speech.moonshine_tokens import SPACE, TokenText
from reachy_mind.speech.word_bias import NO_WORD, WordBias


@pytest.fixture(scope="module")
def texts() -> TokenText:
    return TokenText(moonshine.library_folder() / "assets" / "tiny-en" / "tokenizer.bin")


def bonus(texts: TokenText, written: str, *words: str) -> float:
    """Of a text that is written letter by letter, as it may be."""
    bias = WordBias(words, texts, per_letter=0.5, most=2.0)
    spelling, total = NO_WORD, 0.0
    space = next(token for token in range(len(texts)) if texts.piece(token) == SPACE)
    for word in written.split():
        for token in (space, *(byte + 3 for byte in word.encode())):  # the tokens of single bytes
            spelling, gained = bias.advance(spelling, token)
            total += gained
    return total + bias.ended(spelling)


def test_an_expected_word_gains_and_another_does_not(texts):
    assert bonus(texts, "tell Ida", "Ida") == 1.5
    assert bonus(texts, "tell ida.", "Ida") == 1.5, "capitals and marks do not matter"
    assert bonus(texts, "call Marta and Marta", "marta") == 4.0, "each time, and no more than the most for a word"
    assert bonus(texts, "tell Ada", "Ida") == 0.0


@pytest.mark.parametrize("written", ["artist", "the Martian", "Mar", "smart", "art's"])
def test_a_longer_or_a_shorter_word_gains_nothing(texts, written):
    words = ("Marta", "art") if written != "art's" else ("Marta",)
    assert bonus(texts, written, *words) == 0.0


def test_of_two_words_with_one_beginning_each_gains(texts):
    assert bonus(texts, "antenna", "antenna", "antennas") == bonus(texts, "antennas", "antenna", "antennas") == 2.0


def test_short_words_and_what_is_no_word_are_not_expected(texts):
    assert not WordBias(("a", "to", "42", "x_y"), texts)
    assert WordBias(("nod",), texts)


@pytest.mark.parametrize(
    ("heard", "expected", "meant"),
    [
        ("not", "nod", "nod"),
        ("Not", "nod", "nod"),
        ("nod", "nod", ""),
        ("note", "nod", ""),
        ("net", "nod", ""),
        ("dime", "time", "time"),
        ("reminded", "remindet", ""),
    ],
)
def test_a_word_with_one_sound_of_the_same_kind_may_be_an_expected_one(texts, heard, expected, meant):
    assert WordBias((expected,), texts).instead_of(heard) == meant
