"""`ToolCreation`: from a request in words to a tool on the shelf: write, check, try, repair, shelve.

    author (recipe, else model) -> check -> trial in virtual time -> repair, a few times -> shelf -> a person approves

Nothing that an author says counts: the parameters come from the check, the verdict from the host's own record.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reachy_mind import log
from reachy_mind.config.configuration import Configuration
from reachy_mind.events import CreationStage
from reachy_mind.tools.registry import Registry
from reachy_mind.workshop.author.author import ToolAuthor
from reachy_mind.workshop.draft import Draft
from reachy_mind.workshop.shelf.shelf import Shelf
from reachy_mind.workshop.shelf.versions import ToolVersion
from reachy_mind.workshop.shelving import DraftShelving, failure
from reachy_mind.workshop.trial import cases as trial_cases
from reachy_mind.workshop.trial.trial import TrialOutcome
from reachy_mind.workshop.workshop import Workshop

Progress = Callable[[CreationStage, str, int], None]
"""Told of each stage, with the name of the tool and the number of repairs so far."""
MAX_REPAIRS = 3

_log = log.get(__name__)


def _untold(stage: CreationStage, tool: str, repairs: int, /) -> None:
    """The progress of a creation that nobody watches."""


@dataclass(frozen=True)
class Created:
    """A tool on the shelf that passed its trial, and how to use it for the request it was made for."""

    version: ToolVersion
    draft: Draft
    checked: dict[str, Any]
    verdict: dict[str, Any]
    repairs: int

    def as_dict(self) -> dict[str, Any]:
        return {
            "tool_name": self.version.name,
            "version": self.version.number,
            "sha256": self.version.sha256,
            "code": self.version.code,
            "explanation": self.version.explanation,
            "capabilities": list(self.version.capabilities),
            "validation_result": self.checked,
            "test_results": self.verdict,
            "state": self.version.state.value,
            "repairs": self.repairs,
        }


class ToolCreation:
    """Makes tools for one mind."""

    def __init__(
        self, configuration: Configuration, workshop: Workshop, shelf: Shelf, registry: Registry, author: ToolAuthor
    ) -> None:
        self._shelf, self._author = shelf, author
        self._shelving = DraftShelving(configuration, workshop, shelf, registry)

    async def create(
        self,
        request: str,
        *,
        name: str = "",
        test_cases: Sequence[Any] = (),
        person: str = "",
        progress: Progress = _untold,
    ) -> Created:
        """Make a tool for a request, and put it on the shelf. One that failed its trial stays there as a draft.

        Raises CreationFailed, RequestRefused, NotReady, InvalidParameter and the errors of the author's model.
        """
        self._shelving.require_usable(name)
        trial_cases.parse(test_cases, ())  # what is wrong with them is told before anything is written
        progress("writing", name, 0)
        draft = await self._first_draft(request, name, test_cases)
        for repairs in range(MAX_REPAIRS + 1):
            progress("checking", draft.name, repairs)
            checked = await self._shelving.check(draft)
            if checked["ok"]:
                progress("trying", draft.name, repairs)
            outcome = await self._shelving.try_out(draft, checked, test_cases) if checked["ok"] else None
            if outcome is not None and outcome.passed:
                return await self._shelved(draft, checked, outcome, test_cases, person, repairs)
            repaired = None
            if repairs < MAX_REPAIRS:
                progress("repairing", draft.name, repairs)
                repaired = await self._author.repair(draft, checked["findings"], outcome.verdict if outcome else None)
            if repaired is None:
                if outcome is not None:
                    await self._shelved(draft, checked, outcome, test_cases, person, repairs)
                raise failure(draft, checked, outcome)
            _log.info("a tool is repaired", tool=draft.name, repairs=repairs + 1)
            draft = repaired
        raise AssertionError("unreachable: the last round returns or raises")

    async def _first_draft(self, request: str, name: str, test_cases: Sequence[Any]) -> Draft:
        """A new tool; with the name of one on the shelf, a new version of that one."""
        if name and name in await asyncio.to_thread(self._shelf.names):
            versions = await asyncio.to_thread(self._shelf.versions, name)
            used = next((each for each in versions if each.state == "active"), versions[-1])
            return await self._author.improve(_draft_of(used), request, cases=test_cases)
        draft = await self._author.write(request, name=name, cases=test_cases)
        fits = bool(draft.recipe) and not self._shelving.is_other_tool(draft.name)
        return draft if fits else await self._renamed(draft)

    async def _renamed(self, draft: Draft) -> Draft:
        """With a name that no other tool has: its author knows neither the shelf nor every tool."""
        shelved = await asyncio.to_thread(self._shelf.names)
        candidates = (draft.name if number == 1 else f"{draft.name}_{number}" for number in itertools.count(1))
        return draft.renamed(
            next(name for name in candidates if name not in shelved and not self._shelving.is_tool(name))
        )

    async def _shelved(
        self,
        draft: Draft,
        checked: dict[str, Any],
        outcome: TrialOutcome,
        test_cases: Sequence[Any],
        person: str,
        repairs: int,
    ) -> Created:
        explained = replace(draft, explanation=await self._author.explain(draft))
        version = await self._shelving.shelve(explained, checked, outcome, test_cases, person)
        return Created(version, draft, checked, outcome.as_dict(), repairs)


def _draft_of(version: ToolVersion) -> Draft:
    return Draft(
        version.name,
        version.code,
        version.description,
        version.explanation,
        cases=version.cases,
        author=version.author,
        request=version.request,
    )
