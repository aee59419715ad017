"""`SoundReader`: what may have been said in a sound that was cut into pieces, as texts."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from reachy_mind.speech import audio_format
from reachy_mind.speech.moonshine_beam import alternatives
from reachy_mind.speech.moonshine_network import MoonshineNetwork, TokenSequence
from reachy_mind.speech.moonshine_tokens import TokenText
from reachy_mind.speech.transcriber import Alternative
from reachy_mind.speech.word_bias import WordBias

_WORD = re.compile(r"[^\W\d_]+")
MOST = 5
"""Alternatives of a sound."""
SIMILAR = 0.5
"""How much less likely a text counts in which a word was put for one that sounds alike (e to the power of it): what
makes sense decides between the two."""
LONGEST_S = 12.0
"""Of a longer sound only the likeliest way is found: it is no request, and the search takes its time."""


class SoundReader:
    def __init__(self, network: MoonshineNetwork, texts: TokenText) -> None:
        self._network, self._texts = network, texts
        self._bias = lru_cache(maxsize=4)(lambda words: WordBias(words, texts))

    def alternatives(self, pieces: Sequence[np.ndarray], words: tuple[str, ...] = ()) -> tuple[Alternative, ...]:
        """What the pieces say together, best first; nothing where there are none."""
        several = sum(map(len, pieces)) <= LONGEST_S * audio_format.RATE
        heard = [self._of_piece(piece, self._bias(words), several=several) for piece in pieces]
        found: dict[str, Alternative] = {}
        for ways in sorted(_combined(heard), key=lambda ways: -sum(way.score for way in ways)):
            text = " ".join(text for way in ways if (text := self._texts.text(way.tokens)))
            if text and (spelt := _letters(text)) not in found:
                likely = [each for way in ways for each in way.log_probabilities]
                found[spelt] = Alternative(text, confidence(likely), round(sum(way.score for way in ways), 3))
        return _with_expected(tuple(found.values()), self._bias(words)) if several else tuple(found.values())[:MOST]

    def _of_piece(self, sound: np.ndarray, bias: WordBias, *, several: bool) -> list[TokenSequence]:
        decoding = self._network.decoding(sound)
        first = decoding.greedy()
        return alternatives(decoding, first, self._texts, bias) if several else [first]


def _with_expected(heard: tuple[Alternative, ...], bias: WordBias) -> tuple[Alternative, ...]:
    """With one way more, where the likeliest has words that are easily heard for expected ones: with those."""
    if not heard:
        return ()
    best = heard[0]
    text = _WORD.sub(lambda found: _in_place_of(found[0], bias.instead_of(found[0])), best.text)
    if text == best.text:
        return heard[:MOST]
    meant = Alternative(text, best.confidence, round(best.score - SIMILAR, 3))
    others = [each for each in heard if _letters(each.text) != _letters(text)]
    return tuple(sorted([*others, meant], key=lambda each: -each.score))[:MOST]


def _in_place_of(word: str, expected: str) -> str:
    if not expected:
        return word
    return expected.capitalize() if word[0].isupper() else expected


def _letters(text: str) -> str:
    """Without marks and capitals, which nobody hears."""
    return " ".join("".join(letter for letter in text.casefold() if letter.isalnum() or letter == " ").split())


def confidence(log_probabilities: Sequence[float]) -> float:
    """From 0 to 1: the probability of a token, in the geometric mean."""
    if not log_probabilities:
        return 0.0
    return round(math.exp(sum(log_probabilities) / len(log_probabilities)), 3)


def _combined(heard: Sequence[list[TokenSequence]]) -> list[list[TokenSequence]]:
    """The best of every piece, and each other way of one piece with the best of the others."""
    best = [ways[0] for ways in heard]
    others = [[*best[:at], way, *best[at + 1 :]] for at, ways in enumerate(heard) for way in ways[1:]]
    return [best, *others] if best else []
