"""Which language a reply is in, by its most frequent words: to notice an answer in the wrong one."""

from __future__ import annotations

import re
import unicodedata

_COMMON = {
    "en": "the and is are you i it to of a in that my your with for not what this was have",
    "fr": "le la les et est je tu il elle un une des de que qui pas pour avec dans vous mon ton c'est du sur",
    "es": "el la los las y es yo tú un una de que no para con en por mi tu está son muy del se lo",
    "de": "der die das und ist ich du es ein eine nicht mit für in zu den von mein dein auf sind wir bin dem",
}
_WORDS = {language: frozenset(common.split()) for language, common in _COMMON.items()}
LEAST_WORDS = 5
"""Shorter texts are taken for the right language."""


def is_in(text: str, language: str) -> bool:
    """Whether the text can be in this language. True where it can't be told."""
    if _foreign_script(text):
        return False
    said = re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)?", text.casefold())
    if len(said) < LEAST_WORDS or language not in _WORDS:
        return True
    counts = {name: sum(word in common for word in said) for name, common in _WORDS.items()}
    return counts[language] >= max(counts.values()) - 1


def _foreign_script(text: str) -> bool:
    """Whether most letters are of another script than these four languages have."""
    letters = [letter for letter in text if letter.isalpha()]
    other = sum(not unicodedata.name(letter, "").startswith("LATIN") for letter in letters)
    return len(letters) >= 2 and other * 2 > len(letters)
