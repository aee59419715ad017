"""`AskBack`: what is done about words that were heard too uncertainly to act on.

Asked back is what would change something ("Did you say "set a timer"?"); a yes does it, a no drops it, and any other
sentence takes its place. Words that make no sense get a "Sorry", twice in a row at most: it may be talk that is not for
the robot. A stop is never asked about.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from reachy_mind.brains.stop_words import is_stop
from reachy_mind.conversation.hearing_judge import Judgement
from reachy_mind.speech.phrases import all_right, clear_answer, did_you_say, not_understood

CERTAIN, CERTAIN_ANSWER = 0.55, 0.4
"""What changes something, and what only looks or tells, is done when it is at least so certain, else asked about."""
CLEAR = 0.5
"""Words of which the brain makes nothing are taken for misheard below this confidence."""
CERTAIN_YES = 0.35
"""A yes does what was asked about when it is at least so certain."""
MOST_SORRIES = 2
ANSWER_WITHIN_S = 20.0
"""A yes or no after this time is none to the question."""


@dataclass(frozen=True)
class Decision:
    """`text`: what is done about, empty when nothing is; `reply`: what is said instead, empty for silence."""

    text: str = ""
    reply: str = ""


class AskBack:
    """Of one conversation. `changes`: whether tools change something, so that to call them by mistake matters."""

    def __init__(self, language: str, changes: Callable[[tuple[str, ...]], bool]) -> None:
        self._language, self._changes = language, changes
        self._asked, self._asked_at = "", -math.inf
        self._sorries = 0

    @property
    def asking(self) -> bool:
        """Whether a yes or no is expected."""
        return bool(self._asked) and time.monotonic() - self._asked_at < ANSWER_WITHIN_S

    def decide(self, text: str, judgement: Judgement | None, *, called: bool) -> Decision:
        """What to do about what a person said. `judgement`: None where the ears can't tell how sure they are; `called`:
        whether it is certainly for the robot."""
        asked, self._asked = (self._asked if self.asking else ""), ""
        if is_stop(text) or judgement is None:
            self._sorries = 0
            return self._answered(asked, text) or Decision(text)
        if asked and judgement.certainty >= CERTAIN_YES and (answer := self._answered(asked, text)):
            return answer
        if tools := judgement.sense.tools:
            if judgement.certainty < (CERTAIN if self._changes(tools) else CERTAIN_ANSWER):
                self._asked, self._asked_at, self._sorries = text, time.monotonic(), 0
                return Decision(reply=did_you_say(text, self._language))
        elif judgement.unclear and judgement.chosen.confidence < CLEAR:
            self._sorries += 1
            speaks = called and self._sorries <= MOST_SORRIES
            return Decision(reply=not_understood(self._language) if speaks else "")
        self._sorries = 0
        return Decision(text)

    def _answered(self, asked: str, text: str) -> Decision | None:
        """The answer to what was asked; None for other words."""
        approved = clear_answer(text) if asked else None
        if approved is None:
            return None
        return Decision(asked) if approved else Decision(reply=all_right(self._language))
