"""The team on a fake model server, with a gate that only records calls."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field
from typing import Any

from reachy_mind.brains.agents.brain import Agents, make
from reachy_mind.brains.brain import BrainUnavailable, Called, Done, Handoff, Said, Thought, Turn
from reachy_mind.config.configuration import load
from reachy_mind.tools.builtin import TOOLS
from reachy_mind.tools.definition import Outcome
from tests.fakes.openai_chat import ModelServer

OFFERED = tuple(tool for tool in TOOLS if not tool.hidden)


@dataclass
class Gate:
    """Lets everything pass; `answers` are what tools return, by name."""

    answers: dict[str, Any] = field(default_factory=dict)
    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    async def __call__(self, name: str, args: dict[str, Any]) -> Outcome:
        self.asked.append((name, args))
        answer = self.answers.get(name, {"message": "done"})
        return answer if isinstance(answer, Outcome) else Outcome("ok", answer)


@dataclass
class Thoughts:
    """What came of a turn."""

    all: list[Thought] = field(default_factory=list)
    failed: BrainUnavailable | None = None

    @property
    def reply(self) -> str:
        return "".join(thought.text for thought in self.all if isinstance(thought, Said))

    @property
    def handoffs(self) -> list[tuple[str, str]]:
        return [(thought.to, thought.reason) for thought in self.all if isinstance(thought, Handoff)]

    @property
    def calls(self) -> list[tuple[str, str]]:
        return [(thought.call.name, thought.call.outcome.status) for thought in self.all if isinstance(thought, Called)]

    @property
    def done(self) -> Done:
        last = self.all[-1]
        assert isinstance(last, Done)
        return last


@contextlib.asynccontextmanager
async def team(server: ModelServer | str, **settings: Any) -> AsyncIterator[Agents]:
    """`retries=1` and the like are settings of the section openai."""
    url = server if isinstance(server, str) else server.base
    brain = make(load(flags={"openai.url": url} | {f"openai.{name}": value for name, value in settings.items()}))
    assert isinstance(brain, Agents)
    try:
        yield brain
    finally:
        await brain.aclose()


async def think(brain: Agents, text: str, gate: Gate | None = None, **about: Any) -> Thoughts:
    """One turn, to its end."""
    found = Thoughts()
    try:
        async for thought in brain.think(Turn(text, gate or Gate(), about.pop("tools", OFFERED), **about)):
            found.all.append(thought)
    except BrainUnavailable as error:
        found.failed = error
    return found


def names(items: Iterable[dict[str, Any]]) -> list[str]:
    """What kind of things they are, in order."""
    return [str(item.get("role") or item["type"]) for item in items]
