"""`CaseAuthor`: the author of the benchmark tasks: the product's own, or the drafts that a case has.

A case with drafts is about what comes after the author: for its request the first draft is written as it stands, with
its faults. Its repair is the work of the product's model, where there is one, else the next draft.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from reachy_mind.bench.task_cases import Case as TaskCase
from reachy_mind.bench.task_cases import CaseDraft, Cut
from reachy_mind.workshop.author import refusals
from reachy_mind.workshop.author.author import Author
from reachy_mind.workshop.draft import Case, Draft

SCRIPT = "script"
SAME = 0.4
"""The least share of words that a request has in common with what the person of a case says."""


class CaseAuthor:
    """Keeps the protocol `ToolAuthor`."""

    def __init__(self, product: Author) -> None:
        self._product = product
        self._drafts: tuple[CaseDraft, ...] = ()
        self._said: tuple[str, ...] = ()

    def take(self, case: TaskCase) -> None:
        """Set the next case."""
        self._drafts = case.drafts
        self._said = tuple(line.cut if isinstance(line, Cut) else line for line in case.say)

    async def write(self, request: str, *, name: str = "", cases: Sequence[Case | str] = ()) -> Draft:
        refusals.require_allowed(request)
        if not self._drafts or not any(likeness(request, said) >= SAME for said in self._said):
            return await self._product.write(request, name=name, cases=cases)
        return _draft(self._drafts[0], request)

    async def improve(self, draft: Draft, wish: str, *, cases: Sequence[Case | str] = ()) -> Draft:
        return await self._product.improve(draft, wish, cases=cases)

    async def explain(self, draft: Draft) -> str:
        return draft.explanation if draft.author == SCRIPT else await self._product.explain(draft)

    async def repair(
        self, draft: Draft, findings: Iterable[Mapping[str, Any]], verdict: Mapping[str, Any] | None = None
    ) -> Draft | None:
        if draft.author != SCRIPT:
            return await self._product.repair(draft, findings, verdict)
        if len(self._drafts) == 1:  # what can't be mended
            return None
        if self._product.model is not None:
            mended = await self._product.repair(draft, findings, verdict)
            return replace(mended, author=SCRIPT) if mended is not None else None
        place = next((place for place, each in enumerate(self._drafts) if each.code == draft.code), len(self._drafts))
        following = self._drafts[place + 1 : place + 2]
        return replace(_draft(following[0], draft.request), cases=draft.cases) if following else None


def _draft(given: CaseDraft, request: str) -> Draft:
    return Draft(
        name=given.name,
        code=given.code,
        description=given.name.replace("_", " "),
        explanation=given.explanation,
        capabilities=given.capabilities,
        cases=given.cases,
        args=given.args,
        author=SCRIPT,
        request=request,
        run_s=given.run_s,
    )


def likeness(one: str, other: str) -> float:
    """The share of common words in all words of both."""
    words, others = (set(re.findall(r"\w+", each.casefold())) for each in (one, other))
    return len(words & others) / max(len(words | others), 1)
