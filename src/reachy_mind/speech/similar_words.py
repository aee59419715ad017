"""Words that ears take for each other: those that differ in one sound of the same kind ("nod" and "not").

The model is often sure of the wrong one: "not" is a hundred times as frequent in what it learned from, and by the sound
"nod" is then not among its ways to write it. So where one of the two is to be expected, and the other was heard, both
are ways to understand the sound.
"""

from __future__ import annotations

KINDS = ("bp", "dt", "gkcq", "fv", "szx", "mn", "lr")
"""Consonants that differ in little but the voice."""
_KIND = {letter: kind[0] for kind in KINDS for letter in kind}
SHORTEST, LONGEST = 3, 5
"""Letters of words that are compared: a longer one is told apart by its other sounds."""


def sound_of(word: str) -> str:
    """The same for words that are similar; empty for one that is not compared. Vowels tell words apart."""
    spelt = word.casefold()
    if not SHORTEST <= len(spelt) <= LONGEST or not spelt.isalpha():
        return ""
    return "".join(_KIND.get(letter, letter) for letter in spelt)
