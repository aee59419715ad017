"""How a word that is in no dictionary is said, by its letters: a small recurrent network (of the package g2p-en)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from reachy_mind.speech.arpabet import CONSONANTS, VOWELS

WEIGHTS = "checkpoint20.npz"
MOST_SOUNDS = 20
"""That the network was trained to write; a longer word is read in pieces."""
MOST_LETTERS = 16
_LETTERS = {letter: number for number, letter in enumerate("abcdefghijklmnopqrstuvwxyz", 3)}
_WORD_END, _START, _END = 2, 2, 3
_SOUNDS = (
    *("<pad>", "<unk>", "<s>", "</s>"),
    *sorted([*(f"{vowel}{stress}" for vowel in VOWELS for stress in "012"), *CONSONANTS, "UW"]),
)


class LetterSounds:
    """An encoder of letters and a decoder of sounds, both one layer of gated recurrent units."""

    def __init__(self, file: Path) -> None:
        """Raises OSError, KeyError or ValueError for a file that has not the weights."""
        with np.load(file) as weights:
            self._weights = {name: np.asarray(weights[name], np.float32) for name in weights.files}
        if self._weights["fc_w"].shape[0] != len(_SOUNDS):
            raise ValueError(f"{file} has the weights of another network")

    def sounds(self, word: str) -> list[str]:
        """ARPAbet of a word of letters a to z; other characters are left out."""
        known = [letter for letter in word.lower() if letter in _LETTERS]
        made: list[str] = []
        for start in range(0, len(known), MOST_LETTERS):
            made += self._written(known[start : start + MOST_LETTERS])
        return made

    def _written(self, letters: list[str]) -> list[str]:
        state = np.zeros(self._weights["enc_w_hh"].shape[1], np.float32)
        for symbol in (*(_LETTERS[letter] for letter in letters), _WORD_END):
            state = self._step("enc", symbol, state)
        made: list[str] = []
        symbol = _START
        while len(made) < MOST_SOUNDS:
            state = self._step("dec", symbol, state)
            symbol = int((self._weights["fc_w"] @ state + self._weights["fc_b"]).argmax())
            if symbol == _END:
                break
            if symbol > _END:
                made.append(_SOUNDS[symbol])
        return made

    def _step(self, layer: str, symbol: int, state: np.ndarray) -> np.ndarray:
        weights, size = self._weights, len(state)
        entering = weights[f"{layer}_w_ih"] @ weights[f"{layer}_emb"][symbol] + weights[f"{layer}_b_ih"]
        kept = weights[f"{layer}_w_hh"] @ state + weights[f"{layer}_b_hh"]
        reset, update = np.split(1 / (1 + np.exp(-(entering + kept)[: 2 * size])), 2)
        new = np.tanh(entering[2 * size :] + reset * kept[2 * size :])
        mixed: np.ndarray = (1 - update) * new + update * state
        return mixed
