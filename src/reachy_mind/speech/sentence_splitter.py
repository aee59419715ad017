"""Sentence splitter for streamed text: each sentence can be spoken before the rest has come.

stream = Sentences("en")
for delta in deltas:
    for sentence in stream.feed(delta): ...
for sentence in stream.end(): ...

Every character that is not white space comes out once and in order. Abbreviations, numbers, quotes and the full stops
of other languages are left to the library sentencex; lines, lists, blocks of code and endless sentences are ours.
"""

from __future__ import annotations

import re

LONGEST = 240
"""Characters; a longer sentence is cut at a comma, else at a space, else wherever it has to be."""
FENCE = "```"
_ITEM = re.compile(r"[ \t]*([-*+•#>|]|\d{1,3}[.)][ \t])")
_NUMBER_ALONE = re.compile(r"\W*\d{0,3}[.)]?\s*")
_CLAUSE_END = re.compile(
    "[,;:\u2014\u2013](?=\\s)|[\u3001\uff0c\uff1b\uff1a]"
)  # dashes; the commas and colons of Chinese
_SPACE = re.compile(r"\s")
_HALF = re.compile("[\ud800-\udfff]")
"""Half a character, which a broken source can send and no library takes."""
_AFTER_ELLIPSIS = re.compile(r"(?<=…\s)(?=[^\W\da-z])")


class Sentences:
    """Takes text as it comes and gives sentences back as soon as they are known to be whole."""

    def __init__(self, language: str = "en") -> None:
        self._language = language
        self._held = ""

    def feed(self, delta: str) -> list[str]:
        self._held += _HALF.sub("\ufffd", delta)
        return _words(self._take(final=False))

    def end(self) -> list[str]:
        """What is left; the stream can be used again."""
        return _words(self._take(final=True))

    def _take(self, *, final: bool) -> list[str]:
        made: list[str] = []
        while (start := self._held.find(FENCE)) >= 0:
            made += self._prose(self._held[:start], final=True)[0]
            self._held = self._held[start:]
            close = self._held.find(FENCE, len(FENCE))
            if close < 0 and not final:
                return made
            end = close + len(FENCE) if close >= 0 else len(self._held)
            made.append(self._held[:end])
            self._held = self._held[end:]
        ticks = "" if final else self._held[len(self._held.rstrip("`")) :]  # perhaps the beginning of a fence
        found, rest = self._prose(self._held.removesuffix(ticks), final=final)
        self._held = rest + ticks
        return made + found

    def _prose(self, text: str, *, final: bool) -> tuple[list[str], str]:
        """Sentences of a text without blocks of code, and the rest that may still grow."""
        made: list[str] = []
        *whole, last = _paragraphs(text)
        for paragraph in whole:
            made += self._cut(paragraph)
        if final:
            return made + self._cut(last), ""
        *done, rest = self._segments(last)
        made += [piece for sentence in done for piece in shortened(sentence)]
        *done, rest = shortened(rest)
        return made + done, rest

    def _cut(self, text: str) -> list[str]:
        return [piece for sentence in self._segments(text) for piece in shortened(sentence)]

    def _segments(self, text: str) -> list[str]:
        """At least one; a number that stands alone ("2.") belongs to what follows it."""
        import sentencex  # noqa: PLC0415 -- an extra

        made = [""]
        found = sentencex.segment(self._language, text)
        for segment in (part for sentence in found for part in _AFTER_ELLIPSIS.split(sentence)):
            if _NUMBER_ALONE.fullmatch(made[-1]):
                made[-1] += segment
            else:
                made.append(segment)
        return made


def _words(pieces: list[str]) -> list[str]:
    return [piece.strip() for piece in pieces if piece.strip()]


def sentences(text: str, language: str = "en") -> list[str]:
    """The sentences of a whole text."""
    stream = Sentences(language)
    return stream.feed(text) + stream.end()


def _paragraphs(text: str) -> list[str]:
    """Cut before list items, headings and quotes, after them, and at empty lines; other lines are only wrapped."""
    made = [""]
    for line in text.splitlines(keepends=True):
        if made[-1] and (not line.strip() or _ITEM.match(line) or _ITEM.match(made[-1]) or made[-1].endswith("\n\n")):
            made.append("")
        made[-1] += line
    return made


def shortened(sentence: str, longest: int = LONGEST) -> list[str]:
    """A sentence in pieces of at most `longest` characters that, put together, are the sentence."""
    made = []
    rest = sentence
    while len(rest) > longest:
        window = rest[: longest + 1]
        clauses = [found.end() for found in _CLAUSE_END.finditer(window) if longest // 4 <= found.end() <= longest]
        spaces = [found.start() for found in _SPACE.finditer(window) if found.start()]
        at = (clauses or spaces or [longest])[-1]
        made.append(rest[:at])
        rest = rest[at:]
    return [*made, rest]
