"""`ReplyText`: makes the streamed answer of a small model fit to be spoken, while it comes.

The first sentence is passed on word by word, later ones when they are complete, so that an answer that is cut off ends
with a sentence. Markup is removed. A sentence that repeats an earlier one ends the answer: a small model that loses the
thread goes on for ever.
"""

from __future__ import annotations

import re
import unicodedata

from reachy_mind.models.plain_text import words

MOST_CHARS = 1200
_SENTENCE_END = re.compile(r"(?<!\bDr\.)(?<!\bMr\.)(?<!\bMs\.)(?<!\bSt\.)(?<=[.!?…])[\"')\]]*\s+")
_ROLE = re.compile(r"(?:^|\n)\s*(?:user|human|assistant|system|person|robot)\s*:", re.IGNORECASE)
_SPECIAL = re.compile(r"<\|[a-z_]*\|?>?|```")
_STREAM_MARKS = re.compile(r"[*`#]+|^\s*(?:[-•]|\d{1,2}[.)])\s+(?=\S)", re.MULTILINE)
_DISCLAIMER = re.compile(
    r"\b[Aa]s an? (?:AI|artificial intelligence|virtual)\b(?: (?:language )?(?:model|assistant|chatbot))?,?\s*"
)
"""A phrase of chat models about themselves, which a robot does not say."""
_DISCLAIMER_BEGUN = re.compile(r"\b[Aa]s(?: an?(?: \S*(?: \S*){0,2})?)?$")


class ReplyText:
    """One answer. `feed` takes pieces as they come and gives what can be said; `finish` gives the rest."""

    def __init__(self) -> None:
        self._pending = ""
        self._sentences: list[str] = []
        self._said_of_first = 0
        self.ended = False
        """Whether the answer is complete, whatever still comes."""

    @property
    def empty(self) -> bool:
        return not self._sentences and not self._said_of_first

    def feed(self, piece: str) -> str:
        """Add a piece of the answer; returns what can be said now."""
        if self.ended:
            return ""
        self._pending += piece
        if found := _ROLE.search(self._pending) or _SPECIAL.search(self._pending):
            self._pending = self._pending[: found.start()]
            self.ended = True
            return self.finish()
        said = self._complete_sentences()
        if not self._sentences and not self.ended:
            said += self._words_of_first()
        return said

    def finish(self, *, cut: bool = False) -> str:
        """The rest. With `cut`, an unfinished sentence is left out unless it is the only one."""
        self.ended = True
        rest, self._pending = self._pending, ""
        if not rest.strip() or (cut and self._sentences and not re.search(r"[.!?…][\"')\]]*\s*$", rest)):
            return ""
        return self._release(rest)

    def _complete_sentences(self) -> str:
        said = ""
        while not self.ended and (end := _first_end(self._pending)):
            sentence, self._pending = self._pending[:end], self._pending[end:]
            said += self._release(sentence)
        if sum(map(len, self._sentences)) > MOST_CHARS:
            self.ended = True
        return said

    def _release(self, sentence: str) -> str:
        """A whole sentence, less what was said of it already; ends the answer when it repeats an earlier one."""
        clean = words(_clean(sentence), MOST_CHARS)
        clean = clean[:1].upper() + clean[1:] if not self._said_of_first else clean
        if _key(clean) in map(_key, self._sentences):
            self.ended, self._pending = True, ""
            return ""
        rest = clean[self._said_of_first :]
        first, self._said_of_first = not self._sentences and self._said_of_first > 0, 0
        if clean:
            self._sentences.append(clean)
        return rest if first or len(self._sentences) == 1 else f" {rest}" if rest else ""

    def _words_of_first(self) -> str:
        """New complete words of the first sentence."""
        clean = _clean(self._pending).lstrip()
        cut = max(clean.rfind(" "), 0)
        if begun := _DISCLAIMER_BEGUN.search(clean[:cut]):
            cut = begun.start()
        ready = clean[:cut]
        new, self._said_of_first = ready[self._said_of_first :], max(self._said_of_first, cut)
        return new


def _first_end(text: str) -> int:
    """Where the first sentence ends, 0 when none does; "1." is no sentence."""
    ends = (found.end() for found in _SENTENCE_END.finditer(text))
    return next((end for end in ends if any(letter.isalpha() for letter in text[:end])), 0)


def _clean(text: str) -> str:
    text = _DISCLAIMER.sub("", _STREAM_MARKS.sub("", text))
    return " ".join(
        "".join(letter for letter in text if letter.isspace() or unicodedata.category(letter)[0] != "C").split()
    ) + (" " if text[-1:].isspace() else "")


def _key(sentence: str) -> str:
    return "".join(letter for letter in sentence.casefold() if letter.isalnum())
