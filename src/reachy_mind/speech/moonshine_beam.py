"""Several ways to write down what was heard, best first (beam search), where the likeliest tokens leave doubt.

The search begins at the first token that is in doubt: what comes before is not read again.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reachy_mind.speech.moonshine_network import Decoding, TokenSequence, repeated_cycle
from reachy_mind.speech.moonshine_tokens import END, START, TokenText
from reachy_mind.speech.word_bias import NO_WORD, Spelling, WordBias

WIDTH = 4
"""So many texts are followed at once, and at most so many found."""
DOUBT = math.log(0.6)
"""A token that is less likely is in doubt."""
BEGIN = math.log(0.9)
"""The search begins at the first token that is less likely."""
BEHIND = 4.0
"""A text that is so much less likely than the best (e to the power of that) is given up."""
CANDIDATES = 12
"""Tokens that are tried after each text."""


@dataclass(frozen=True)
class _Text:
    """What was written so far."""

    tokens: tuple[int, ...]
    likely: tuple[float, ...]
    bonus: float = 0.0
    spelling: Spelling = NO_WORD

    @property
    def score(self) -> float:
        return sum(self.likely) + self.bonus

    def sequence(self, ending: Sequence[float] = ()) -> TokenSequence:
        return TokenSequence(self.tokens, (*self.likely, *ending), self.bonus)


def alternatives(
    decoding: Decoding, first: TokenSequence, texts: TokenText, bias: WordBias, width: int = WIDTH
) -> list[TokenSequence]:
    """Ways to write it, best first; only the first where it is in no doubt. `first`: the likeliest tokens, which
    `decoding` has just written. Marks such as a comma are in no doubt: they are not heard."""
    spelt = [any(map(str.isalnum, texts.piece(token))) for token in first.tokens]
    words = [(at, likely) for at, likely in enumerate(first.log_probabilities) if at == len(spelt) or spelt[at]]
    if not any(likely < DOUBT for _, likely in words):
        return [first]
    begin = next(at for at, likely in words if likely < BEGIN)
    text = _written(first, begin, bias)
    decoding.back_to(begin)
    live, done = [text], list[TokenSequence]()
    for length in range(begin, decoding.most):
        rows = decoding.step([(START, *each.tokens)[-1] for each in live])
        grown = _grown(live, rows, length, bias)
        best = max([each.score for each in done] + [each.score for each, _, _ in grown[:1]], default=-math.inf)
        live, origins = [], list[int]()
        for each, origin, ended in grown:
            if each.score < best - BEHIND or len(live) == width:
                break
            if ended:
                done.append(each.sequence())
            elif not repeated_cycle([START, *each.tokens]):
                live.append(each)
                origins.append(origin)
        done = sorted(done, key=lambda each: -each.score)[:width]
        if not live or (len(done) == width and done[-1].score > live[0].score):
            break
        decoding.keep(origins)
    done += [each.sequence() for each in live] if not done else []
    return done or [first]


def _written(first: TokenSequence, count: int, bias: WordBias) -> _Text:
    """The beginning of a text, with what its words gain."""
    spelling, bonus = NO_WORD, 0.0
    for token in first.tokens[:count]:
        spelling, gained = bias.advance(spelling, token)
        bonus += gained
    return _Text(first.tokens[:count], first.log_probabilities[:count], bonus, spelling)


def _grown(live: list[_Text], rows: np.ndarray, length: int, bias: WordBias) -> list[tuple[_Text, int, bool]]:
    """All texts with one more token, best first; where each comes from, and whether it has ended."""
    grown: list[tuple[_Text, int, bool]] = []
    for origin, (text, row) in enumerate(zip(live, rows, strict=True)):
        if length == 0:
            row[END] = -math.inf
        highest = float(row.max())
        total = highest + math.log(float(np.exp(row - highest).sum()))
        for token in np.argpartition(-row, CANDIDATES)[:CANDIDATES].tolist():
            likely = (*text.likely, float(row[token]) - total)
            if token == END:
                bonus = text.bonus + bias.ended(text.spelling)
                grown.append((_Text(text.tokens, likely, bonus), origin, True))
            else:
                spelling, gained = bias.advance(text.spelling, token)
                grown.append((_Text((*text.tokens, token), likely, text.bonus + gained, spelling), origin, False))
    return sorted(grown, key=lambda each: -each[0].score)
