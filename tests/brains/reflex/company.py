"""A conversation with one reflex brain that keeps its games, and tools that note how they were called."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from typing import Any

from reachy_mind.brains.brain import Called, Done, Past, Said, ToolCall, Turn
from reachy_mind.brains.reflex.brain import Reflex
from reachy_mind.brains.reflex.games.store import Games
from reachy_mind.brains.reflex.plan import Before, Plan
from reachy_mind.brains.reflex.reader import Reader
from reachy_mind.brains.reflex.understanding import Understanding
from reachy_mind.tools.definition import Outcome, Tool

BODY = ("express_emotion", "set_antennas", "nod", "shake", "dance", "move_head", "get_time", "speak", "play_move")


@cache
def understanding() -> Understanding:
    return Understanding(Reader.load())


def tool_named(name: str) -> Tool:
    async def run(_ctx: Any, _given: dict[str, Any]) -> None: ...

    return Tool(name, "robot", "A tool.", {"type": "object"}, dict, run)


@dataclass
class Company:
    """`plans`: what some sentences mean, in place of what the reader makes of them."""

    plans: dict[str, Plan] = field(default_factory=dict)
    tools: tuple[str, ...] = BODY
    answers: dict[str, Outcome] = field(default_factory=dict)
    conversation: str = "one"
    seed: int = 1
    now: float = 0.0
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    order: list[str] = field(default_factory=list)
    history: dict[str, list[Past]] = field(default_factory=dict)
    understood: bool = True

    def __post_init__(self) -> None:
        self.games = Games(random.Random(self.seed), clock=lambda: self.now)
        self.brain = Reflex(self._understand, self.games, lambda: datetime(2026, 11, 16, 12, tzinfo=UTC))

    def _understand(self, text: str, before: Sequence[Before]) -> Plan:
        return self.plans.get(text) or understanding().plan(text, before)

    async def gate(self, name: str, args: dict[str, Any]) -> Outcome:
        self.calls.append((name, args))
        self.order.append(name)
        return self.answers.get(name, Outcome("ok", {}))

    async def say(self, text: str) -> str:
        """Say something; the whole reply."""
        self.calls.clear()
        self.order.clear()
        past = self.history.setdefault(self.conversation, [])
        tools = tuple(map(tool_named, self.tools))
        turn = Turn(text, self.gate, tools, conversation=self.conversation, history=tuple(past[-12:]))
        reply, called = "", list[ToolCall]()
        async for thought in self.brain.think(turn):
            match thought:
                case Said():
                    reply += thought.text
                    self.order.append("said")
                case Called():
                    called.append(thought.call)
                case Done():
                    self.understood = thought.understood
        past.append(Past(text, reply, tuple(called), "reflex"))
        return reply
