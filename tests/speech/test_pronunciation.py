"""How a text is said: numbers, names, letters and endings, with small dictionaries; some words with the real ones."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from reachy_mind.speech import arpabet, kokoro
from reachy_mind.speech.letter_sounds import WEIGHTS, LetterSounds
from reachy_mind.speech.number_words import in_words, ordinal
from reachy_mind.speech.pronunciation import CMU, Pronunciation
from tests.speech.conftest import STORE, needs_kokoro

GOLD = {
    "the": "ðə",
    "to": "tu",
    "hello": "həlˈO",
    "apple": "ˈæpᵊl",
    "cat": "kˈæt",
    "box": "bˈɑks",
    "want": "wˈɑnt",
    "look": "lˈʊk",
    "light": "lˈIt",
    "house": "hˈWs",
    "two": "tˈu",
    "and": "ænd",
    "make": "mˈAk",
    "A": "ˈA",
    "record": {"DEFAULT": "ɹˈɛkəɹd", "VERB": "ɹəkˈɔɹd"},
    "can": {"DEFAULT": "kæn", "None": "kˈæn"},
    "S": "ˈɛs",
    "U": "jˈu",
    "US": {"DEFAULT": "ˌʌs", "NOUN": None},
    "B": "bˈi",
    "F": "ˈɛf",
    "I": "ˈI",
    "my": "mI",
    "you": "ju",
}


@pytest.fixture(scope="module")
def pronunciation(tmp_path_factory) -> Pronunciation:
    """Of American English, with a network of letters that knows nothing: it writes the end of the word at once."""
    folder: Path = tmp_path_factory.mktemp("words")
    (folder / "us_gold.json").write_text(json.dumps(GOLD))
    (folder / "us_silver.json").write_text(json.dumps({"anna": "ˈænə"}))
    (folder / CMU).write_text("linda L IH1 N D AH0 # name\nlinda(2) L IY1 N D AH0\npaul P AO1 L\n")
    sizes = {"enc_emb": (29, 4), "dec_emb": (74, 4), "fc_w": (74, 4), "fc_b": (74,)}
    sizes |= {f"{each}_w_{kind}": (12, 4) for each in ("enc", "dec") for kind in ("ih", "hh")}
    sizes |= {f"{each}_b_{kind}": (12,) for each in ("enc", "dec") for kind in ("ih", "hh")}
    weights = {name: np.zeros(size, np.float32) for name, size in sizes.items()}
    weights["fc_b"][3] = 1
    np.savez(folder / WEIGHTS, **weights)
    return Pronunciation(folder, british=False)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("In 1999, 3.5 of 1,200", "In nineteen ninety-nine , three point five of one thousand two hundred"),
        ("1st 2nd 3rd 12th 20th 101st", "first second third twelfth twentieth one hundred and first"),
        (
            "2000 2005 2026 1905 1900",
            "two thousand two thousand five twenty twenty-six nineteen oh five nineteen hundred",
        ),
        ("the 1990s, 4x", "the nineteen nineties , four x"),
        (
            "007 and 12345678901234567890",
            f"zero zero seven and {'one two three four five six seven eight nine zero ' * 2}",
        ),
        ("0 10 1000000", "zero ten one million"),
        ("nothing", "nothing"),
    ],
)
def test_numbers_are_words(text, words):
    assert " ".join(in_words(text).split()) == words.strip()


def test_ordinals_end_as_they_should():
    assert [ordinal(number) for number in (5, 8, 9, 15, 30, 42)] == [
        *("fifth", "eighth", "ninth", "fifteenth", "thirtieth", "forty-second"),
    ]


@pytest.mark.parametrize(
    ("text", "phonemes"),
    [
        ("Hello, the cat and the apple.", "həlˈO, ðə kˈæt ænd ði ˈæpᵊl."),
        ("I want to record my record!", "ˌI wˈɑnt tə ɹəkˈɔɹd mI ɹˈɛkəɹd!"),
        ("Can you? You can.", "kæn ju? ju kˈæn."),
        ("Anna's cats, boxes: looked, making", "ˈænəz kˈæts, bˈɑksᵻz: lˈʊkt, mˈAkɪŋ"),
        ("Linda and Paul", "lˈɪndə ænd pˈɔl"),
        ("the US, FBI", "ðə jˈuˈɛs, ˈɛfbˈiˈI"),
        ("a lighthouse 2", "ɐ lˈIthˌWs tˈu"),
        ("A cat. Record A.", "ɐ kˈæt. ɹˈɛkəɹd ˈA."),
        ("Reachy", "ɹˈiʧi"),
        ("hello … “cat” (cat)", "həlˈO… “kˈæt” (kˈæt)"),
        ("héllo Cat’s", "həlˈO kˈæts"),
    ],
)
def test_a_sentence_is_said_from_the_dictionaries(pronunciation, text, phonemes):
    assert pronunciation.phonemes(text) == phonemes


@pytest.mark.parametrize("text", ["", "...", "Привет", "日本語", "?!", "''''"])
def test_what_can_not_be_said_is_nothing(pronunciation, text):
    assert pronunciation.phonemes(text) == ""


def test_a_british_r_is_heard_before_vowels_only():
    assert arpabet.phonemes(["K", "AA1", "R"], british=True) == "kˈɑː"
    assert arpabet.phonemes(["V", "EH1", "R", "IY0"], british=True) == "vˈɛːɹi"
    assert arpabet.phonemes(["K", "AA1", "R"], british=False) == "kˈɑɹ"
    with pytest.raises(KeyError):
        arpabet.phonemes(["XX"], british=False)


@needs_kokoro
def test_an_unknown_word_is_said_by_its_letters():
    letters = LetterSounds(STORE.path(kokoro.ASSET) / WEIGHTS)
    assert arpabet.phonemes(letters.sounds("reachy"), british=False) == "ɹˈiʧi"
    assert arpabet.phonemes(letters.sounds("szymon"), british=False) == "ʃˈɪmən"
    assert letters.sounds("") == letters.sounds("ß123") == []
    assert 20 < len(letters.sounds("llanfairpwllgwyngyllgogerychwyrndrobwll")) < 80


def test_a_damaged_file_of_weights_is_refused(tmp_path):
    np.savez(tmp_path / WEIGHTS, fc_w=np.zeros((3, 3)))
    with pytest.raises(ValueError, match="another network"):
        LetterSounds(tmp_path / WEIGHTS)
