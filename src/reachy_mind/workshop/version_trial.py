"""Trials of versions on the shelf: `stored_trial` for a new one, `retry` for one that is there, such as an import."""

from __future__ import annotations

import asyncio
import hashlib
from typing import Any

from reachy_mind.config.configuration import Configuration
from reachy_mind.models.robot_description import description
from reachy_mind.tools.registry import Registry
from reachy_mind.workshop.run_report import RunRequest
from reachy_mind.workshop.shelf.shelf import Shelf
from reachy_mind.workshop.shelf.versions import ToolVersion
from reachy_mind.workshop.trial import cases as trial_cases
from reachy_mind.workshop.trial import replay
from reachy_mind.workshop.trial.trial import TrialOutcome
from reachy_mind.workshop.workshop import Workshop

GEOMETRY = "kinematics_data.json"


class VersionTrials:
    """Tries out versions of one shelf."""

    def __init__(self, configuration: Configuration, workshop: Workshop, shelf: Shelf, registry: Registry) -> None:
        self._configuration, self._workshop, self._shelf, self._registry = configuration, workshop, shelf, registry

    async def retry(self, name: str, number: int) -> ToolVersion:
        """Try a version out and store the verdict. Raises NoSuchVersion, TamperedVersion, WorkerError, ShelfError."""
        version = await asyncio.to_thread(self._shelf.get, name, number)
        checked = await self._workshop.check(version.code, f"{name}.py", self._registry)
        given = trial_cases.parse([dict(case) for case in version.cases], checked["parameters"])
        allow = ",".join(version.capabilities)
        request = RunRequest(version.code, f"{name}.py", {}, allow)
        outcome = await self._workshop.try_out(request, checked["parameters"], given)
        results, played = await asyncio.to_thread(stored_trial, self._configuration, outcome)
        return await asyncio.to_thread(self._record, name, version.sha256, results, played)

    def _record(self, name: str, sha256: str, results: dict[str, Any], played: bytes) -> ToolVersion:
        version = self._shelf.record_trial(name, sha256, results)
        self._shelf.keep_replay(name, sha256, played)
        return version


def stored_trial(configuration: Configuration, outcome: TrialOutcome) -> tuple[dict[str, Any], bytes]:
    """The results of a trial as a version has them, and its replay, which they name by its hash. Blocks."""
    played = replay.encoded(outcome, description(configuration) / GEOMETRY)
    return outcome.as_dict() | {"replay": hashlib.sha256(played).hexdigest()}, played
