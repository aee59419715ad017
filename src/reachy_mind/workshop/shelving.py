"""`DraftShelving`: from a draft to a version on the shelf: check, trial in simulation, version with its verdict.

Nothing that an author says counts: the parameters come from the check, the verdict from the host's own record.
"""

from __future__ import annotations

import asyncio
import keyword
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from reachy_mind import log
from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.tools.definition import GENERATED, NAME
from reachy_mind.tools.registry import Registry, UnknownTool
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

LASTING = ("duration_s", "delay_s")
"""Parameters that say how long a run takes."""
SPARE_S = 60.0
"""Added to the expected duration of a run for the time limit of a tool."""
VARIABLE_S = 3600.0
"""The least time limit of a tool with a number among its parameters."""

_log = log.get(__name__)


class CreationFailed(MindError):
    """No tool came of a request: its code has errors, or it did not pass its trial."""

    code = "CREATION_FAILED"


class DraftShelving:
    """Of one shelf. `registry`: the tools that code may call."""

    def __init__(self, configuration: Configuration, workshop: Workshop, shelf: Shelf, registry: Registry) -> None:
        self._configuration, self._workshop = configuration, workshop
        self._shelf, self._registry = shelf, registry

    def require_usable(self, name: str) -> None:
        """Raises InvalidParameter for a name that no generated tool can have."""
        if name and (not NAME.fullmatch(name) or keyword.iskeyword(name)):
            raise InvalidParameter(f"a tool can't be called {name[:80]!r}", hint="small letters, digits, _")
        if name and self.is_other_tool(name):
            raise InvalidParameter(f"there is another tool called {name}", hint="choose another name, or leave it out")

    def is_other_tool(self, name: str) -> bool:
        """Whether a tool that was not made here has this name, or is also called so."""
        return self.is_tool(name) and self._registry.find(name)[0].source != GENERATED

    def is_tool(self, name: str) -> bool:
        try:
            self._registry.find(name)
        except UnknownTool:
            return False
        return True

    async def check(self, draft: Draft) -> dict[str, Any]:
        """Findings on the code, its parameters and what it seems to need."""
        return await self._workshop.check(draft.code, f"{draft.name}.py", self._registry)

    async def try_out(self, draft: Draft, checked: dict[str, Any], test_cases: Sequence[Any]) -> TrialOutcome:
        """Try a draft whose check went well. Raises WorkerError."""
        given = _given(draft, checked, test_cases)
        proposed = trial_cases.parse([dict(case) for case in draft.proposed], checked["parameters"], "proposed")
        given = replace(given, cases=(given.cases + proposed.cases)[: trial_cases.MAX_CASES])
        allow = ",".join(_capabilities(draft, checked))
        request = RunRequest(draft.code, f"{draft.name}.py", dict(draft.args), allow)
        return await self._workshop.try_out(request, checked["parameters"], given)

    async def add(self, draft: Draft) -> ToolVersion:
        """Check, try and shelve a draft. One that fails its trial stays on the shelf as a draft.

        Raises CreationFailed, InvalidParameter, WorkerError, ShelfError.
        """
        self.require_usable(draft.name)
        checked = await self.check(draft)
        if not checked["ok"]:
            raise failure(draft, checked, None)
        outcome = await self.try_out(draft, checked, ())
        version = await self.shelve(draft, checked, outcome)
        if not outcome.passed:
            failed = failure(draft, checked, outcome)
            raise CreationFailed(failed.message, hint=f"its trial: reachy-mind workshop show {draft.name}")
        return version

    async def shelve(
        self,
        draft: Draft,
        checked: dict[str, Any],
        outcome: TrialOutcome,
        test_cases: Sequence[Any] = (),
        person: str = "",
    ) -> ToolVersion:
        """Put a draft on the shelf with the verdict of its trial. Raises ShelfError."""
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
            explanation=draft.explanation,
            language=draft.language,
            sentences=await asyncio.to_thread(self._sentences, draft),
            request=draft.request,
            person=person,
        )
        version = await asyncio.to_thread(self._shelf.add, new)
        await asyncio.to_thread(self._shelf.keep_replay, version.name, version.sha256, replay)
        return version

    def _sentences(self, draft: Draft) -> tuple[str, ...]:
        """Those of this version, and those by which people called the one before it."""
        try:
            active = self._shelf.active(draft.name)
        except MindError as error:
            _log.warning("the sentences of the version in use are left out", tool=draft.name, reason=error.message)
            active = None
        before = active.sentences if active is not None else ()
        return tuple(dict.fromkeys((*(draft.sentences or sentences(draft)), *before)))[:MAX_LISTED]


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


def failure(draft: Draft, checked: dict[str, Any], outcome: TrialOutcome | None) -> CreationFailed:
    """Why no tool came of a draft that somebody asked for in words."""
    if outcome is None:
        errors = [each["message"] for each in checked["findings"] if each["level"] == "error"]
        return CreationFailed(
            f"the code of {draft.name} has errors: {'; '.join(errors[:3])}", hint="say it differently"
        )
    errors = outcome.verdict["errors"]
    return CreationFailed(f"{draft.name} did not pass its trial: {'; '.join(errors[:2])}"[:1000], hint="say it simpler")
