"""`Work`: one turn as the team has it in hand. The SDK's run carries it as its context."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from dataclasses import dataclass, field

from reachy_mind.brains.agents.budget import Budget, Used
from reachy_mind.brains.agents.utterance import Utterance
from reachy_mind.brains.thought import Call, Called, Said, Thought, Turn, Unanswered
from reachy_mind.brains.trust import Trust

MOST_MISTAKES = 2
"""Tools that don't exist and arguments that can't be read are told to the model so often; then it ends."""


@dataclass
class Work:
    """Thoughts go into its queue as they are made; what was used and done so far is kept beside."""

    turn: Turn
    budget: Budget
    utterance: Utterance
    trust: Trust
    agent: str
    thoughts: asyncio.Queue[Thought | None] = field(default_factory=asyncio.Queue)
    calls: list[Call] = field(default_factory=list)
    used: Used = field(default_factory=Used)
    mistakes: int = 0
    model: str = ""
    """The one that was asked last."""

    def hear(self, words: str) -> None:
        """Words of the model, as they come."""
        self._say(self.utterance.more(words))

    def pause(self) -> None:
        """The model has finished an answer: nothing of it is held back any longer."""
        self._say(self.utterance.rest(self.calls))

    def did(self, call: Call) -> None:
        self.pause()
        self.calls.append(call)
        self.thoughts.put_nowait(Called(call))

    def wrong(self) -> None:
        """The model called for something that there is not."""
        self.mistakes += 1

    def require_sense(self) -> None:
        """Raises NoThought when it got it wrong once too often."""
        if self.mistakes > MOST_MISTAKES:
            raise Unanswered(
                "I got confused about what I can do, so I stopped.",
                hint=f"the model called tools wrongly {self.mistakes} times; a larger one does better",
            )

    def _say(self, words: str) -> None:
        if words:
            self.thoughts.put_nowait(Said(words))


current: ContextVar[Work] = ContextVar("work")
"""The work that a model call or a span belongs to; set in the task that runs the team."""
