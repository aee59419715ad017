"""`VoiceConfirmations`: confirmations by voice. Questions are asked aloud; a clear yes or no is the answer."""

from __future__ import annotations

import contextlib
import math

from reachy_mind.errors import MindError
from reachy_mind.events import ConfirmationAsked
from reachy_mind.speech.heard import Heard
from reachy_mind.speech.phrases import clear_answer
from reachy_mind.tools.confirmations import Confirmation, Confirmations

CERTAIN_YES = 0.55
"""A yes allows something when it is at least so certain."""


class VoiceConfirmations:
    """Those of one spoken conversation. `at_robot`: also those of no conversation, which programs ask for: the person
    at the robot is the one to ask. `enabled`: whether this person may be asked at all."""

    def __init__(
        self, confirmations: Confirmations, conversation: str, *, at_robot: bool, enabled: bool = True
    ) -> None:
        self._confirmations, self.conversation = confirmations, conversation
        self._at_robot, self.enabled = at_robot, enabled

    def channel(self) -> contextlib.AbstractContextManager[None]:
        """While it is open, questions can be asked by voice."""
        return self._confirmations.channel("voice") if self.enabled else contextlib.nullcontext()

    @property
    def pending(self) -> list[Confirmation]:
        return [asked for asked in self._confirmations.pending if self._is_ours(asked.conversation)]

    def question(self, event: ConfirmationAsked) -> str | None:
        """What to ask aloud; None when it is another conversation's."""
        if not self._is_ours(event.conversation):
            return None
        who = "" if event.conversation else "A program asks me: "
        ends = "" if event.consequence.endswith("?") else " Shall I? Please say yes or no."
        return f"{who}{event.consequence}{ends}"

    def answer(self, heard: Heard) -> bool:
        """Whether these words were the answer to a question. A yes that may have been something else is none: the
        question stays open."""
        pending, approved = self.pending, clear_answer(heard.text)
        if not pending or approved is None:
            return False
        if approved and yes_certainty(heard) < CERTAIN_YES:
            return True
        with contextlib.suppress(MindError):  # somebody else was faster
            self._confirmations.answer(pending[0].id, approved=approved, by="voice")
        return True

    def _is_ours(self, conversation: str) -> bool:
        return self.enabled and (conversation == self.conversation or (self._at_robot and not conversation))


def yes_certainty(heard: Heard) -> float:
    """0 to 1: how sure the ears are of a yes, as far as what else it may have been is one too."""
    if heard.confidence is None:
        return 1.0
    weights = [(math.exp(way.score), clear_answer(way.text) is True) for way in heard.alternatives]
    of_all = sum(weight for weight, _ in weights)
    return heard.confidence * (sum(weight for weight, yes in weights if yes) / of_all if of_all else 1.0)
