"""Twenty tools as people describe them, with the cases that they must pass and a right solution of each.

`MeasuredAuthor` notes what became of an author's first draft: creation tells it, in what it wants repaired.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from reachy_mind.errors import NotReady
from reachy_mind.workshop.author.author import ToolAuthor
from reachy_mind.workshop.draft import Case, Draft

FILE = Path(__file__).with_name("described_tools.jsonl")
RUN_S = 200.0
"""About as long as the longest run of a case takes; it gives a tool its time limit."""


@dataclass(frozen=True)
class DescribedTool:
    """What a person asks for. `code` is a right solution, with the capabilities that it needs."""

    name: str
    description: str
    capabilities: tuple[str, ...]
    cases: tuple[Mapping[str, Any], ...]
    code: str


@cache
def described_tools() -> tuple[DescribedTool, ...]:
    rows = (json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines())
    return tuple(
        DescribedTool(
            row["name"], row["description"], tuple(row["capabilities"]), tuple(dict(each) for each in row["cases"]),
            row["code"],
        )
        for row in rows
    )  # fmt: skip


class PerfectAuthor:
    """Writes the right solution; without `right`, that of the tool before."""

    def __init__(self, tools: Sequence[DescribedTool], *, right: bool = True) -> None:
        solutions = tools if right else (tools[-1], *tools[:-1])
        self._script = {tool.description: found for tool, found in zip(tools, solutions, strict=True)}
        self.name = "scripted" if right else "scripted wrongly"

    async def write(self, request: str, *, name: str = "", cases: Sequence[Case | str] = ()) -> Draft:  # noqa: ARG002
        if (tool := self._script.get(request)) is None:
            raise NotReady("the script has no tool for that", hint="add one")
        first = tool.code.split('"""')[1].splitlines()[0]
        return Draft(
            tool.name, tool.code, first, first, tool.capabilities, author="script", request=request, run_s=RUN_S
        )

    async def repair(
        self,
        draft: Draft,  # noqa: ARG002
        findings: Iterable[Mapping[str, Any]],  # noqa: ARG002
        verdict: Mapping[str, Any] | None = None,  # noqa: ARG002
    ) -> Draft | None:
        return None

    async def improve(self, draft: Draft, wish: str, *, cases: Sequence[Case | str] = ()) -> Draft:  # noqa: ARG002
        raise NotReady("the script has no other version", hint="add one")

    async def explain(self, draft: Draft) -> str:
        return draft.explanation


class MeasuredAuthor:
    """Passes everything on to an author, and keeps what creation told it. `held`: it does not see the cases."""

    def __init__(self, author: ToolAuthor, *, held: bool) -> None:
        self._author, self._held = author, held
        self.wrote = False
        self.failures: list[tuple[bool, Mapping[str, Any] | None]] = []
        """Of each draft that was to be repaired: whether it was valid, and the verdict of its trial."""

    async def write(self, request: str, *, name: str = "", cases: Sequence[Case | str] = ()) -> Draft:
        draft = await self._author.write(request, name=name, cases=() if self._held else cases)
        self.wrote = True
        return draft

    async def repair(
        self, draft: Draft, findings: Iterable[Mapping[str, Any]], verdict: Mapping[str, Any] | None = None
    ) -> Draft | None:
        self.failures.append((verdict is not None, verdict))
        return await self._author.repair(draft, findings, verdict)

    async def improve(self, draft: Draft, wish: str, *, cases: Sequence[Case | str] = ()) -> Draft:
        return await self._author.improve(draft, wish, cases=cases)

    async def explain(self, draft: Draft) -> str:
        return await self._author.explain(draft)
