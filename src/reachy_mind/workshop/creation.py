"""`ToolCreation`: from a request in words to a tool on the shelf: write, check, try, repair, shelve.

    author (recipe, else model) -> check -> trial in virtual time -> repair, a few times -> shelf -> a person approves

Nothing that an author says counts: the parameters come from the check, the verdict from the host's own record.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reachy_mind import log
from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.events import CreationStage
from reachy_mind.tools.registry import Registry
from reachy_mind.workshop.author.author import ToolAuthor
from reachy_mind.workshop.draft import Draft
from reachy_mind.workshop.run_report import MAX_TIMEOUT_S, RunRequest
from reachy_mind.workshop.shelf.shelf import Shelf
from reachy_mind.workshop.shelf.versions import NewVersion, ToolVersion
from reachy_mind.workshop.trial import cases as trial_cases
from reachy_mind.workshop.trial.trial import CASE_S, TrialOutcome, try_tool
from reachy_mind.workshop.version_trial import stored_trial
from reachy_mind.workshop.workshop import Workshop

Progress = Callable[[CreationStage, str, int], None]
"""Told of each stage, with the name of the tool and the number of repairs so far."""
MAX_REPAIRS = 3
SPARE_S = 60.0
"""Added to the expected duration of a run for the time limit of a tool."""

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
        progress("writing", name, 0)
        draft = await self._author.write(request, name=name)
        for repairs in range(MAX_REPAIRS + 1):
            progress("checking", draft.name, repairs)
            checked = await self._workshop.check(draft.code, f"{draft.name}.py", self._registry)
            if checked["ok"]:
                progress("trying", draft.name, repairs)
            outcome = await self._tried(draft, checked, test_cases) if checked["ok"] else None
            if outcome is not None and outcome.passed:
                return await self._shelved(draft, checked, outcome, person, repairs)
            repaired = None
            if repairs < MAX_REPAIRS:
                progress("repairing", draft.name, repairs)
                repaired = await self._author.repair(draft, checked["findings"], outcome.verdict if outcome else None)
            if repaired is None:
                if outcome is not None:
                    await self._shelved(draft, checked, outcome, person, repairs)
                raise _failure(draft, checked, outcome)
            _log.info("a tool is repaired", tool=draft.name, repairs=repairs + 1)
            draft = repaired
        raise AssertionError("unreachable: the last round returns or raises")

    async def _tried(self, draft: Draft, checked: dict[str, Any], test_cases: Sequence[Any]) -> TrialOutcome:
        given = trial_cases.parse([*test_cases, *(dict(case) for case in draft.cases)], checked["parameters"])
        allow = ",".join(draft.capabilities)
        request = RunRequest(
            draft.code, f"{draft.name}.py", dict(draft.args), allow, timeout_s=CASE_S, virtual_time=True
        )
        return await try_tool(self._configuration, request, checked["parameters"], given)

    async def _shelved(
        self, draft: Draft, checked: dict[str, Any], outcome: TrialOutcome, person: str, repairs: int
    ) -> Created:
        results, replay = await asyncio.to_thread(stored_trial, self._configuration, outcome)
        new = NewVersion(
            name=draft.name,
            code=draft.code,
            description=checked["description"] or draft.description,
            parameters=tuple(checked["parameters"]),
            capabilities=draft.capabilities,
            timeout_s=min(draft.run_s * 1.5 + SPARE_S, MAX_TIMEOUT_S),
            cases=tuple(dict(case) for case in draft.cases),
            results=results,
            author=draft.author,
            explanation=draft.explanation,
            request=draft.request,
            person=person,
        )
        version = await asyncio.to_thread(self._shelf.add, new)
        await asyncio.to_thread(self._shelf.keep_replay, version.name, version.sha256, replay)
        return Created(version, replace(draft, name=version.name), checked, outcome.as_dict(), repairs)


def _failure(draft: Draft, checked: dict[str, Any], outcome: TrialOutcome | None) -> CreationFailed:
    if outcome is None:
        errors = [each["message"] for each in checked["findings"] if each["level"] == "error"]
        return CreationFailed(
            f"the code of {draft.name} has errors: {'; '.join(errors[:3])}", hint="say it differently"
        )
    errors = outcome.verdict["errors"]
    return CreationFailed(f"{draft.name} did not pass its trial: {'; '.join(errors[:2])}"[:1000], hint="say it simpler")


def sentence_cases(test_cases: Sequence[Any] | None) -> list[Any]:
    """Cases as a caller gives them. Raises InvalidParameter."""
    if test_cases is None:
        return []
    if not all(isinstance(each, str | dict) for each in test_cases):
        raise InvalidParameter("a test case is a sentence or an object", hint='{"input": {...}, "expected": {...}}')
    return list(test_cases)
