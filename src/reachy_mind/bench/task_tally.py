"""`TaskTally`: what is counted of one brain in the benchmark tasks; `asked`: one turn that counts."""

from __future__ import annotations

import contextlib
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

from reachy_mind.brains.brain import Done
from reachy_mind.conversation.response import Response
from reachy_mind.mind import Mind


@dataclass
class TaskTally:
    """The counts of one brain."""

    right: dict[int, list[bool]] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)
    first_ms: list[float] = field(default_factory=list)
    tools_ms: list[float] = field(default_factory=list)
    thinking_ms: list[float] = field(default_factory=list)
    turn_ms: list[float] = field(default_factory=list)
    tokens_in: int = 0
    tokens_out: int = 0

    def judged(self, task: int, case: str, wrong: Sequence[str]) -> None:
        """A case has ended. `wrong`: the failed checks."""
        self.right.setdefault(task, []).append(not wrong)
        if wrong:
            self.failed.append(f"task {task}, {case!r}: {'; '.join(wrong)}")

    def add(self, other: TaskTally) -> None:
        """The counts of other tasks."""
        self.right |= other.right
        self.failed += other.failed
        for name in ("first_ms", "tools_ms", "thinking_ms", "turn_ms"):
            getattr(self, name).extend(getattr(other, name))
        self.tokens_in += other.tokens_in
        self.tokens_out += other.tokens_out

    def turn(self, response: Response, done: Done) -> None:
        tools = sum(call.outcome.duration_ms for call in response.tool_calls)
        self.first_ms.append(response.latency_ms)
        self.tools_ms.append(tools)
        self.thinking_ms.append(max(0.0, response.duration_ms - tools))
        self.turn_ms.append(response.duration_ms)
        self.tokens_in += done.tokens_in
        self.tokens_out += done.tokens_out

    def figures(self) -> dict[str, float]:
        every = [right for each in self.right.values() for right in each]
        shares = {f"task_{task}_percent": _percent(each) for task, each in sorted(self.right.items())}
        turns = max(1, len(self.turn_ms))
        times = {
            f"{name}_p50_ms": round(statistics.median(values), 1)
            for name, values in (
                ("first", self.first_ms),
                ("thinking", self.thinking_ms),
                ("tools", self.tools_ms),
                ("turn", self.turn_ms),
            )
            if values
        }
        tokens = {"tokens_in": round(self.tokens_in / turns, 1), "tokens_out": round(self.tokens_out / turns, 1)}
        return {"cases": len(every), "percent": _percent(every), **shares, **times, **tokens}


async def asked(mind: Mind, text: str, conversation: str, person: str = "") -> tuple[Response, Done]:
    """Say something, and wait for the end of the turn."""
    done = Done()
    async with contextlib.aclosing(mind.stream(text, conversation=conversation, person=person)) as thoughts:
        async for thought in thoughts:
            if isinstance(thought, Done):
                done = thought
            elif isinstance(thought, Response):
                return thought, done
    raise AssertionError("a turn ends with a response")


def _percent(right: Sequence[bool]) -> float:
    return round(100 * sum(right) / len(right), 1) if right else 0.0
