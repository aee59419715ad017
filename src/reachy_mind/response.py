"""`Response`: how a turn ended; and `Growing`, the turn until then."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from reachy_mind.brains.thought import Call, Called, Done, Handoff, Said, Thought, Voiced


@dataclass(frozen=True)
class Response:
    """How a turn ended. `latency_ms` is the time to the first action or word."""

    text: str
    tool_calls: tuple[Call, ...] = ()
    brain: str = ""
    conversation: str = ""
    turn: str = ""
    latency_ms: float = 0.0
    duration_ms: float = 0.0
    cost_usd: float = 0.0
    understood: bool = True
    error: dict[str, str] | None = None
    agent: str = ""
    """Which part of the brain answered, where it has parts."""
    handoffs: tuple[Handoff, ...] = ()
    tokens_in: int = 0
    tokens_out: int = 0

    def as_dict(self) -> dict[str, Any]:
        """As `ask --json` prints it."""
        told: dict[str, Any] = {
            "reply": self.text,
            "tools": [call.as_dict() for call in self.tool_calls],
            "brain": self.brain,
            "latency_ms": round(self.latency_ms, 2),
            "duration_ms": round(self.duration_ms, 2),
            "session_id": self.conversation,
        }
        return told | self.thinking() | ({"error": self.error} if self.error else {})

    def thinking(self) -> dict[str, Any]:
        """Who answered, by whom it was handed on, and the tokens it took: what there is of them."""
        told: dict[str, Any] = {"agent": self.agent} if self.agent else {}
        if self.handoffs:
            told["handoffs"] = [{"to": handoff.to, "reason": handoff.reason} for handoff in self.handoffs]
        if self.tokens_in or self.tokens_out:
            told["tokens"] = {"in": self.tokens_in, "out": self.tokens_out}
        return told


@dataclass
class Growing:
    """A turn under way."""

    id: str
    conversation: str
    stops: int
    """How many stops there had been when it was said."""
    began: float = field(default_factory=time.monotonic)
    words: list[str] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    handoffs: list[Handoff] = field(default_factory=list)
    first_at: float | None = None
    done: Done = field(default_factory=Done)
    parted: bool = False

    def take(self, thought: Thought) -> None:
        match thought:
            case Said(text):
                self.words.append(text)
            case Called(call):
                self.calls.append(call)
            case Done():
                self.done = thought
            case Handoff():
                self.handoffs.append(thought)
            case Voiced():
                pass

    def spaced(self, thought: Thought) -> Thought:
        """Words on both sides of a call or a handoff are parted; other pieces are joined as they come."""
        if isinstance(thought, Called | Handoff):
            self.parted = True
        elif isinstance(thought, Said) and thought.text:
            parted, self.parted = self.parted, False
            before = "".join(self.words)[-1:]
            if parted and before and not before.isspace() and not thought.text[0].isspace():
                return Said(f" {thought.text}")
        return thought

    def response(self, brain: str, error: dict[str, str] | None = None) -> Response:
        now = time.monotonic()
        first = self.first_at if self.first_at is not None else now
        return Response(
            "".join(self.words).strip(),
            tuple(self.calls),
            self.done.brain or brain,
            self.conversation,
            self.id,
            (first - self.began) * 1000,
            (now - self.began) * 1000,
            self.done.cost_usd,
            self.done.understood,
            error,
            self._agent(),
            tuple(self.handoffs),
            self.done.tokens_in,
            self.done.tokens_out,
        )

    def _agent(self) -> str:
        """Which part of the brain answered; none when it handed back, to reflex, say."""
        if self.done.agent or not self.handoffs:
            return self.done.agent
        last = self.handoffs[-1].to
        return last if self.done.brain in ("", last) else ""
