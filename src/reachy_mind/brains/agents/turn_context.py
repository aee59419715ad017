"""`TurnContext`: the state of one turn, passed through the SDK's run as its context."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from dataclasses import dataclass, field

from reachy_mind.brains.agents.budget import Budget, TokenCount
from reachy_mind.brains.brain import Called, Handoff, Said, Thought, ToolCall, Turn, Unanswered
from reachy_mind.brains.injection_guard import InjectionGuard
from reachy_mind.brains.reply_filter import ReplyFilter

MOST_MISTAKES = 2
"""Calls of unknown tools or with invalid arguments that a model may make in a turn before it is stopped."""


@dataclass
class TurnContext:
    """`thoughts` is the queue of the turn's output, ended by None; `used` and `calls` sum up the turn so far."""

    turn: Turn
    budget: Budget
    reply: ReplyFilter
    guard: InjectionGuard
    agent: str
    thoughts: asyncio.Queue[Thought | None] = field(default_factory=asyncio.Queue)
    calls: list[ToolCall] = field(default_factory=list)
    used: TokenCount = field(default_factory=TokenCount)
    mistakes: int = 0
    model: str = ""
    """The model that was called last."""

    def add_text(self, words: str) -> None:
        """Streamed text of the model."""
        self._emit(self.reply.feed(words))

    def flush_text(self) -> None:
        """Emit what the reply filter still buffers, at the end of an answer."""
        self._emit(self.reply.flush(self.calls))

    def add_call(self, call: ToolCall) -> None:
        self.flush_text()
        self.calls.append(call)
        self.thoughts.put_nowait(Called(call))

    def hand_to(self, agent: str, reason: str) -> None:
        """From here on this agent answers."""
        self.flush_text()
        self.agent = agent
        self.thoughts.put_nowait(Handoff(agent, reason))

    def count_mistake(self) -> None:
        """The model called an unknown tool, or called one with invalid arguments."""
        self.mistakes += 1

    def require_few_mistakes(self) -> None:
        """Raises BrainUnavailable after more than `MOST_MISTAKES`."""
        if self.mistakes > MOST_MISTAKES:
            raise Unanswered(
                "I got confused about what I can do, so I stopped.",
                hint=f"the model called tools wrongly {self.mistakes} times; a larger one does better",
            )

    def _emit(self, words: str) -> None:
        if words:
            self.thoughts.put_nowait(Said(words))


current: ContextVar[TurnContext] = ContextVar("work")
"""The context of the running turn, for model calls and spans; set in the task that runs the team."""
