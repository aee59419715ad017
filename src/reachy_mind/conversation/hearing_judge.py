"""`HearingJudge`: which of several ways to understand a sound was meant, and how certain that is.

How likely a way sounds counts first; what makes sense now decides between those that sound alike. What makes sense is
said by the brain (a request that it would carry out, an answer to the question it asked), and by what is expected (a
yes or no). A way that sounds much less likely never wins because it is a command.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reachy_mind.brains.brain import Sense
from reachy_mind.brains.stop_words import is_listed
from reachy_mind.speech.phrases import clear_answer
from reachy_mind.speech.transcriber import Alternative

if TYPE_CHECKING:
    from reachy_mind.brains.active import ActiveBrain
    from reachy_mind.brains.brain import Past

SENSE_WEIGHT = 1.0
"""How much the logarithm of the sense counts beside that of the sound."""
LEAST_SENSE = 0.05
UNCLEAR, UNKNOWN_SENSE = 0.2, 0.7
"""Words that make less sense are unclear; what is taken when the brain can't tell."""
MARGIN = 2.0
"""A way that sounds less likely than the likeliest by more than this (e to the power of it) can't win."""
STOP_MARGIN = 3.0
"""The same for a stop, which must not be missed."""


@dataclass(frozen=True)
class Judgement:
    """`chosen`: what was meant; `sense`: what the brain would make of it; `certainty`: 0 to 1, how sure the ears are of
    it, as far as what else it may have been comes to the same actions."""

    chosen: Alternative
    sense: Sense
    certainty: float

    @property
    def unclear(self) -> bool:
        """Whether the brain makes nothing of it."""
        return self.sense.worth < UNCLEAR


class HearingJudge:
    """For one conversation. `expects_answer`: whether a yes or no would be the answer to a question."""

    def __init__(
        self,
        brain: ActiveBrain,
        conversation: str,
        past: Callable[[], Awaitable[Sequence[Past]]],
        expects_answer: Callable[[], bool],
    ) -> None:
        self._brain, self._conversation, self._past = brain, conversation, past
        self._expects_answer = expects_answer

    async def judge(self, alternatives: Sequence[Alternative]) -> Judgement:
        """Of at least one alternative, the likeliest first."""
        past = await self._past()
        return judged([(each, await self._sense(each.text, past)) for each in alternatives])

    async def _sense(self, text: str, past: Sequence[Past]) -> Sense:
        asked = self._expects_answer() or bool(past and past[-1].reply.rstrip().endswith("?"))
        sense = await self._brain.sense(text, past, self._conversation)
        if asked and clear_answer(text) is not None:
            return Sense(1.0, sense.tools if sense else ())
        return sense or Sense(UNKNOWN_SENSE)


def judged(made: Sequence[tuple[Alternative, Sense]]) -> Judgement:
    """Of at least one alternative with its sense, the likeliest first."""
    likeliest = max(each.score for each, _ in made)
    stops = [one for one in made if is_listed(one[0].text) and one[0].score >= likeliest - STOP_MARGIN]
    near = stops[:1] or [one for one in made if one[0].score >= likeliest - MARGIN]
    chosen, sense = max(near, key=lambda one: _total(*one))
    weights = [math.exp(_total(*one) - _total(chosen, sense)) for one in made]
    same = sum(weight for weight, (_, other) in zip(weights, made, strict=True) if other.tools == sense.tools)
    return Judgement(chosen, sense, round(same / sum(weights) * chosen.confidence, 3))


def _total(alternative: Alternative, sense: Sense) -> float:
    return alternative.score + SENSE_WEIGHT * math.log(max(sense.worth, LEAST_SENSE))
