"""Text as the phonemes of the Kokoro voices: from dictionaries, by the ends of words, else by their letters.

The first dictionaries (of the package misaki) are written in these phonemes; CMU's has names that they lack.
"""

from __future__ import annotations

import json
import re
import unicodedata
from functools import lru_cache
from pathlib import Path

from reachy_mind.speech import arpabet
from reachy_mind.speech.letter_sounds import WEIGHTS, LetterSounds
from reachy_mind.speech.number_words import in_words

CMU = "cmudict.dict"
VOWELS = frozenset("AIOQWYaeiouæɑɒɔəɛɜɪʊʌᵊᵻɐ")
APOSTROPHE, PRIMARY, SECONDARY = "\u2019", "\u02c8", "\u02cc"
LONGEST = 40
"""Letters of a word; what follows is not said."""
_PUNCTUATION = {**{mark: mark for mark in ";:,.!?—…"}, "–": "—", "“": "“", "”": "”", '"': '"', "(": "(", ")": ")"}
_SIGNS = {
    "+": " plus ",
    "@": " at ",
    "&": " and ",
    "/": " slash ",
    "%": " percent ",
    "½": " a half ",
    "¼": " a quarter ",
}
_TOKEN = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)*['’]?|[;:,.!?—–…\"“”()]")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_DOTTED = re.compile(r"\b(?:[A-Za-z]\.){2,}")
_NAMES = {"Reachy": "ɹˈiʧi", "reachy": "ɹˈiʧi"}
_FIXED = {"a": "ɐ", "an": "ɐn", "I": "ˌI"}
_DETERMINERS = frozenset("a an the my your his her its our their this that these those no of some any each".split())
_VERB_SIGNS = frozenset("to can could will would shall should may might must do does did not i you we they let".split())
_ENDING_PUNCTUATION = frozenset(";:,.!?—…")
Entry = str | dict[str, str | None]


class Pronunciation:
    """Of one accent; its folder is the asset of the voices."""

    def __init__(self, folder: Path, *, british: bool) -> None:
        """Raises OSError, ValueError or KeyError for files that are missing or damaged."""
        self._british = british
        accent = "gb" if british else "us"
        self._gold: dict[str, Entry] = json.loads((folder / f"{accent}_gold.json").read_text(encoding="utf-8"))
        self._silver: dict[str, Entry] = json.loads((folder / f"{accent}_silver.json").read_text(encoding="utf-8"))
        self._names = _cmu(folder / CMU)
        self._letters = LetterSounds(folder / WEIGHTS)
        self._word = lru_cache(4096)(self._pronounced)

    def phonemes(self, text: str) -> str:
        """Of a sentence, with its punctuation; empty when it has no word that can be said."""
        tokens = _TOKEN.findall(_plain(text))
        said = [self._said(tokens, place) for place in range(len(tokens))]
        made = ""
        for place, token in enumerate(tokens):
            sound = said[place]
            if token in _PUNCTUATION:
                made += sound if sound not in ("“", "(") else f" {sound}"
                continue
            follower = next((each for each in said[place + 1 :] if each), "")
            sound = _joined(token, sound, follower)
            made += sound if not made or made[-1] in "“(" else f" {sound}"
        return made.strip() if any(character in VOWELS for character in made) else ""

    def _said(self, tokens: list[str], place: int) -> str:
        word = tokens[place]
        if word in _PUNCTUATION:
            return _PUNCTUATION[word]
        before = tokens[place - 1].lower() if place else ""
        last = place + 1 == len(tokens) or tokens[place + 1] in _ENDING_PUNCTUATION
        if word == "A" and not last and (not before or before in _PUNCTUATION):
            word = "a"  # not the letter, as in "vitamin A"
        return self._word(word.replace(APOSTROPHE, "'"), _role(before), last=last)

    def _pronounced(self, word: str, role: str, *, last: bool) -> str:
        found = self._listed(word, role, last=last)
        if found:
            return found
        if word.isupper() and (len(word) <= 3 or not set(word) & set("AEIOUY")):
            return self._spelled(word)
        return self._inflected(word, role) or self._guessed(word)

    def _listed(self, word: str, role: str, *, last: bool = False) -> str:
        if word in _NAMES or word in _FIXED:
            return _NAMES.get(word) or _FIXED[word]
        for entries in (self._gold, self._silver):
            for form in (word, word.lower(), word.capitalize()):
                entry = entries.get(form)
                if isinstance(entry, dict):
                    if form.isupper() and len(form) > 1 and "NOUN" in entry and entry["NOUN"] is None:
                        return self._spelled(form)
                    entry = (last and entry.get("None")) or entry.get(role) or entry["DEFAULT"]
                if entry:
                    return entry
            if word.isupper() and len(word) <= 3:
                return ""  # letters, not a rare word
        sounds = self._names.get(word.lower())
        return arpabet.phonemes(sounds.split(), british=self._british) if sounds else ""

    def _inflected(self, word: str, role: str) -> str:
        """A known word with an ending."""
        small = word.lower().removesuffix("'")
        for ending, sound in (
            ("'s", ""),
            ("'ll", "əl"),
            ("'d", "d"),
            ("'ve", "əv"),
            ("'re", "ə" if self._british else "əɹ"),
        ):
            if small.endswith(ending):
                stem = self._word(word[: -len(ending)], role, last=False)
                return stem + (_plural(stem) if ending == "'s" else sound)
        for ending, puts_back in (
            ("s", ("", "e")),
            ("es", ("",)),
            ("ies", ("y",)),
            ("ed", ("", "e")),
            ("ing", ("", "e")),
        ):
            for letters in puts_back:
                if small.endswith(ending) and len(small) > len(ending) + 2:
                    stem = self._listed(
                        small.removesuffix(ending) + letters, "VERB" if ending in ("ed", "ing") else role
                    )
                    if stem:
                        return stem + _ending(ending, stem)
        for at in range(len(small) - 3, 3, -1):  # two words written as one
            first, second = self._gold.get(small[:at]), self._gold.get(small[at:])
            if isinstance(first, str) and isinstance(second, str):
                return first + second.replace(PRIMARY, SECONDARY)
        return ""

    def _guessed(self, word: str) -> str:
        sounds = self._letters.sounds(word[:LONGEST])
        return arpabet.phonemes(sounds, british=self._british)

    def _spelled(self, word: str) -> str:
        names = (self._gold.get(letter) for letter in word.upper() if letter.isalpha())
        return "".join(name if isinstance(name, str) else name["DEFAULT"] or "" for name in names if name)


def _plain(text: str) -> str:
    for sign, words in _SIGNS.items():
        text = text.replace(sign, words)
    text = "".join(each for each in unicodedata.normalize("NFKD", text) if not unicodedata.combining(each))
    text = _DOTTED.sub(lambda found: found[0].replace(".", "").upper() + " ", text)
    return _CAMEL.sub(" ", in_words(text).replace("...", "…"))


def _role(before: str) -> str:
    return "NOUN" if before in _DETERMINERS else "VERB" if before in _VERB_SIGNS else ""


def _joined(token: str, sound: str, follower: str) -> str:
    """A word's sound beside its neighbours: "the" and "to" depend on what follows."""
    vowel = follower.lstrip(f"{PRIMARY}{SECONDARY}“(")[:1] in VOWELS
    if token.lower() == "the":
        return "ði" if vowel else "ðə"
    if token.lower() == "to" and follower not in ("", *_ENDING_PUNCTUATION):
        return "tʊ" if vowel else "tə"
    return sound


def _plural(stem: str) -> str:
    return "ᵻz" if stem[-1:] in "szʃʒʧʤ" else "s" if stem[-1:] in "ptkfθ" else "z"


def _ending(ending: str, stem: str) -> str:
    if ending == "ing":
        return "ɪŋ"
    if ending == "ed":
        return "ᵻd" if stem[-1:] in "td" else "t" if stem[-1:] in "pkfθsʃʧ" else "d"
    return _plural(stem)


def _cmu(file: Path) -> dict[str, str]:
    made: dict[str, str] = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        word, _, sounds = line.partition("#")[0].strip().partition(" ")
        if sounds:
            made.setdefault(word, sounds)
    return made
