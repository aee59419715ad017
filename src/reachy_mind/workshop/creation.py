"""`ToolCreation`: from a request in words to a tool on the shelf: write, check, try, repair, shelve.

    author (recipe, else model) -> check -> trial in virtual time -> repair, a few times -> shelf -> a person approves

Nothing that an author says counts: the parameters come from the check, the verdict from the host's own record.
"""

from __future__ import annotations

import asyncio
import itertools
import keyword
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reachy_mind import log
from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.events import CreationStage
from reachy_mind.tools.definition import GENERATED, NAME
from reachy_mind.tools.registry import Registry, UnknownTool
from reachy_mind.workshop.author.author import ToolAuthor
from reachy_mind.workshop.author.sentences import sentences
from reachy_mind.workshop.draft import Draft
from reachy_mind.workshop.run_report import MAX_TOOL_TIMEOUT_S, RunRequest
from reachy_mind.workshop.shelf.shelf import Shelf
from reachy_mind.workshop.shelf.versions import MAX_LISTED, NewVersion, ToolVersion
from reachy_mind.workshop.trial import cases as trial_cases
from reachy_mind.workshop.trial.cases import CaseList
from reachy_mind.workshop.trial.trial import TrialOutcome
from reachy_mind.workshop.version_trial import stored_trial
from reachy_mind.workshop.workshop import Workshop

Progress = Callable[[CreationStage, str, int], None]
"""Told of each stage, with the name of the tool and the number of repairs so far."""
MAX_REPAIRS = 3
LASTING = ("duration_s", "delay_s")
"""Parameters that say how long a run takes."""
SPARE_S = 60.0
"""Added to the expected duration of a run for the time limit of a tool."""
VARIABLE_S = 3600.0
"""The least time limit of a tool with a number among its parameters."""

_log = log.get(__name__)


def _untold(stage: CreationStage, tool: str, repairs: int, /) -> None:
    """The progress of a creation that nobody watches."""


class CreationFailed(MindError):
    """No tool came of a request: its code has errors, or it did not pass its trial."""

    code = "CREATION_FAILED"


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
        self._configuration, self._workshop, self._shelf = configuration, workshop, shelf
        self._registry, self._author = registry, author

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
        self._require_usable(name)
        trial_cases.parse(test_cases, ())  # what is wrong with them is told before anything is written
        progress("writing", name, 0)
        draft = await self._first_draft(request, name, test_cases)
        for repairs in range(MAX_REPAIRS + 1):
            progress("checking", draft.name, repairs)
            checked = await self._workshop.check(draft.code, f"{draft.name}.py", self._registry)
            if checked["ok"]:
                progress("trying", draft.name, repairs)
            outcome = await self._tried(draft, checked, test_cases) if checked["ok"] else None
            if outcome is not None and outcome.passed:
                return await self._shelved(draft, checked, outcome, test_cases, person, repairs)
            repaired = None
            if repairs < MAX_REPAIRS:
                progress("repairing", draft.name, repairs)
                repaired = await self._author.repair(draft, checked["findings"], outcome.verdict if outcome else None)
            if repaired is None:
                if outcome is not None:
                    await self._shelved(draft, checked, outcome, test_cases, person, repairs)
                raise _failure(draft, checked, outcome)
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
        fits = bool(draft.recipe) and not self._is_other_tool(draft.name)
        return draft if fits else await self._renamed(draft)

    async def _renamed(self, draft: Draft) -> Draft:
        """With a name that no other tool has: its author knows neither the shelf nor every tool."""
        shelved = await asyncio.to_thread(self._shelf.names)
        candidates = (draft.name if number == 1 else f"{draft.name}_{number}" for number in itertools.count(1))
        return draft.renamed(next(name for name in candidates if name not in shelved and not self._is_tool(name)))

    def _require_usable(self, name: str) -> None:
        """Raises InvalidParameter for a name that no generated tool can have."""
        if name and (not NAME.fullmatch(name) or keyword.iskeyword(name)):
            raise InvalidParameter(f"a tool can't be called {name[:80]!r}", hint="small letters, digits, _")
        if name and self._is_other_tool(name):
            raise InvalidParameter(f"there is another tool called {name}", hint="choose another name, or leave it out")

    def _is_other_tool(self, name: str) -> bool:
        """Whether a tool that was not made here has this name, or is also called so."""
        return self._is_tool(name) and self._registry.find(name)[0].source != GENERATED

    def _is_tool(self, name: str) -> bool:
        try:
            self._registry.find(name)
        except UnknownTool:
            return False
        return True

    async def _tried(self, draft: Draft, checked: dict[str, Any], test_cases: Sequence[Any]) -> TrialOutcome:
        given = _given(draft, checked, test_cases)
        proposed = trial_cases.parse([dict(case) for case in draft.proposed], checked["parameters"], "proposed")
        given = replace(given, cases=(given.cases + proposed.cases)[: trial_cases.MAX_CASES])
        allow = ",".join(_capabilities(draft, checked))
        request = RunRequest(draft.code, f"{draft.name}.py", dict(draft.args), allow)
        return await self._workshop.try_out(request, checked["parameters"], given)

    async def _shelved(
        self,
        draft: Draft,
        checked: dict[str, Any],
        outcome: TrialOutcome,
        test_cases: Sequence[Any],
        person: str,
        repairs: int,
    ) -> Created:
        results, replay = await asyncio.to_thread(stored_trial, self._configuration, outcome)
        new = NewVersion(
            name=draft.name,
            code=draft.code,
            description=checked["description"] or draft.description,
            parameters=tuple(checked["parameters"]),
            capabilities=_capabilities(draft, checked),
            timeout_s=_timeout(draft, checked),
            cases=tuple(case.given_as() for case in _given(draft, checked, test_cases).cases),
            results=results,
            author=draft.author,
            explanation=await self._author.explain(draft),
            language=draft.language,
            sentences=await asyncio.to_thread(self._sentences, draft),
            request=draft.request,
            person=person,
        )
        version = await asyncio.to_thread(self._shelf.add, new)
        await asyncio.to_thread(self._shelf.keep_replay, version.name, version.sha256, replay)
        return Created(version, replace(draft, name=version.name), checked, outcome.as_dict(), repairs)

    def _sentences(self, draft: Draft) -> tuple[str, ...]:
        """Those of this version, and those by which people called the one before it."""
        try:
            active = self._shelf.active(draft.name)
        except MindError as error:
            _log.warning("the sentences of the version in use are left out", tool=draft.name, reason=error.message)
            active = None
        before = active.sentences if active is not None else ()
        return tuple(dict.fromkeys((*sentences(draft), *before)))[:MAX_LISTED]


def _timeout(draft: Draft, checked: dict[str, Any]) -> float:
    """Who calls a tool by its own words may ask for another length of time; any number may be one."""
    if any(name in draft.args for name in LASTING):
        return MAX_TOOL_TIMEOUT_S
    numbers = any(str(each["type"]).startswith(("int", "float")) for each in checked["parameters"])
    return min(max(draft.run_s * 1.5 + SPARE_S, VARIABLE_S if numbers else 0.0), MAX_TOOL_TIMEOUT_S)


def _given(draft: Draft, checked: dict[str, Any], test_cases: Sequence[Any]) -> CaseList:
    """The cases that decide: a person's, and those of a recipe."""
    cases = [*test_cases, *(dict(case) for case in draft.cases)][: trial_cases.MAX_CASES]
    return trial_cases.parse(cases, checked["parameters"])


def _capabilities(draft: Draft, checked: dict[str, Any]) -> tuple[str, ...]:
    return tuple(checked["capabilities"]) if draft.capabilities is None else draft.capabilities


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


def _failure(draft: Draft, checked: dict[str, Any], outcome: TrialOutcome | None) -> CreationFailed:
    if outcome is None:
        errors = [each["message"] for each in checked["findings"] if each["level"] == "error"]
        return CreationFailed(
            f"the code of {draft.name} has errors: {'; '.join(errors[:3])}", hint="say it differently"
        )
    errors = outcome.verdict["errors"]
    return CreationFailed(f"{draft.name} did not pass its trial: {'; '.join(errors[:2])}"[:1000], hint="say it simpler")
