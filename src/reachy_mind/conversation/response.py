"""`Response`: how a turn ended; `ResponseBuilder` collects it from a brain's thoughts."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

from reachy_mind.brains.brain import Called, Done, Handoff, Said, Thought, ToolCall, Voiced

INTERRUPTED = {"code": "INTERRUPTED", "message": "the answer was cut short", "hint": ""}


@dataclass(frozen=True)
class Response:
    """How a turn ended. `latency_ms` is the time to the first action or word."""

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
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


@dataclass
class ResponseBuilder:
    """The response of a turn that is under way."""

    turn: str
    conversation: str
    began: float = field(default_factory=time.monotonic)
    words: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    handoffs: list[Handoff] = field(default_factory=list)
    first_at: float | None = None
    """When the first action or word came."""
    done: Done = field(default_factory=Done)
    needs_space: bool = False

    def add(self, thought: Thought) -> Thought:
        """Take a thought in. Returns it with a space before its words where a call or a handoff came between."""
        match thought:
            case Said(text) if text:
                thought = self._spaced(thought)
                self.words.append(thought.text)
            case Called(call):
                self.calls.append(call)
                self.needs_space = True
            case Handoff():
                self.handoffs.append(thought)
                self.needs_space = True
            case Done():
                self.done = thought
            case Said() | Voiced():
                pass
        return thought

    def _spaced(self, said: Said) -> Said:
        before = "".join(self.words)[-1:]
        needs_space, self.needs_space = self.needs_space, False
        if needs_space and before and not before.isspace() and not said.text[0].isspace():
            return replace(said, text=f" {said.text}")
        return said

    def build(self, brain: str, error: dict[str, str] | None = None) -> Response:
        """The response as far as it came; `brain` is who answered, unless its last thought names another."""
        now = time.monotonic()
        first = self.first_at if self.first_at is not None else now
        return Response(
            text="".join(self.words).strip(),
            tool_calls=tuple(self.calls),
            brain=self.done.brain or brain,
            conversation=self.conversation,
            turn=self.turn,
            latency_ms=(first - self.began) * 1000,
            duration_ms=(now - self.began) * 1000,
            cost_usd=self.done.cost_usd,
            understood=self.done.understood,
            error=error,
            agent=self._agent(),
            handoffs=tuple(self.handoffs),
            tokens_in=self.done.tokens_in,
            tokens_out=self.done.tokens_out,
        )

    def _agent(self) -> str:
        """Which part of the brain answered; none when it handed back, to reflex for example."""
        if self.done.agent or not self.handoffs:
            return self.done.agent
        last = self.handoffs[-1].to
        return last if self.done.brain in ("", last) else ""
