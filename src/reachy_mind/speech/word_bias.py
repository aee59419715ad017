"""`WordBias`: words that are to be expected get a bonus while a text is written (shallow fusion).

The words are a tree of letters, so that it does not matter into which pieces the model cuts them. A word gets its bonus
letter by letter, and loses it again when it goes on as another one: "Marta" is not helped where "Martian" is written.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from reachy_mind.speech.moonshine_tokens import SPACE, TokenText
from reachy_mind.speech.similar_words import sound_of

PER_LETTER, PER_WORD = 0.5, 2.0
"""The bonus of a letter and the most that a word gets, as log-probabilities."""
SHORTEST = 3
"""Letters of a word that gets one."""
_WHOLE = ""
"""The key of a node at which a word ends."""
Node = dict[str, Any]


@dataclass(frozen=True)
class Spelling:
    """Where in the tree a text is, and the bonus that its last word may lose again. Without a node the word is none of
    those expected."""

    node: Node | None = None
    pending: float = 0.0


NO_WORD = Spelling()
"""Before the first word."""


class WordBias:
    def __init__(self, words: Iterable[str], texts: TokenText, per_letter: float = PER_LETTER, most: float = PER_WORD):
        self._texts, self._per_letter, self._most = texts, per_letter, most
        self._tree: Node = {}
        self._sounds: dict[str, str] = {}
        for word in words:
            for part in word.casefold().split():
                self._sounds[sound_of(part)] = part
                if len(part) >= SHORTEST and part.isalpha():
                    node = self._tree
                    for letter in part:
                        node = node.setdefault(letter, {})
                    node[_WHOLE] = {}

    def __bool__(self) -> bool:
        return bool(self._tree)

    def instead_of(self, word: str) -> str:
        """The expected word that this other one is easily heard for; empty when there is none."""
        sound = sound_of(word)
        expected = self._sounds.get(sound, "") if sound else ""
        return expected if expected != word.casefold() else ""

    def advance(self, spelling: Spelling, token: int) -> tuple[Spelling, float]:
        """Where a text is after one more token, and the bonus of that token (negative: it takes one back)."""
        node, pending, gained = spelling.node, spelling.pending, 0.0
        for letter in self._texts.piece(token):
            if not letter.isalnum():
                if node is None or _WHOLE not in node:
                    gained -= pending
                node, pending = (self._tree if letter == SPACE else None), 0.0
            elif node is not None:
                node = node.get(letter.casefold())
                more = min(self._per_letter, self._most - pending) if node is not None else -pending
                gained, pending = gained + more, pending + more
        return Spelling(node, pending), gained

    def ended(self, spelling: Spelling) -> float:
        """What the end of a text takes back: its last word was not completed."""
        return 0.0 if spelling.node is not None and _WHOLE in spelling.node else -spelling.pending
