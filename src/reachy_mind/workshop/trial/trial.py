"""`try_tool`: the trial of a tool: its cases, generated ones and faults, in virtual time, in one child process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reachy_mind.config.configuration import Configuration
from reachy_mind.workshop import virtual_run
from reachy_mind.workshop.run_report import RunReport, RunRequest
from reachy_mind.workshop.trial import cases as trial_cases
from reachy_mind.workshop.trial.cases import CaseList, TrialCase
from reachy_mind.workshop.trial.verdict import verdict

CASE_S = 10.0
"""Real seconds for a case."""


@dataclass(frozen=True)
class TrialOutcome:
    """The verdict, and the record of each case: poses over time, for a replay."""

    verdict: dict[str, Any]
    records: tuple[Mapping[str, Any], ...] = ()
    not_understood: tuple[str, ...] = field(default=())

    @property
    def passed(self) -> bool:
        return bool(self.verdict["passed"])

    def as_dict(self) -> dict[str, Any]:
        return self.verdict | {"not_understood": list(self.not_understood)}


async def try_tool(
    configuration: Configuration,
    request: RunRequest,
    parameters: Sequence[Mapping[str, Any]],
    given: CaseList = CaseList(),  # noqa: B008 -- frozen
    *,
    seed: int = 0,
) -> TrialOutcome:
    """Try a tool. `request.args`: usual arguments; `parameters`: as `check` reports them. Raises WorkerError."""
    chosen = _chosen(request, parameters, given)
    job = {
        "run": request.as_dict() | {"virtual_time": True},
        "scene": configuration.settings.robot.scene,
        "seed": seed,
        "cases": [case.as_dict() for case in chosen],
    }
    answer = await virtual_run.perform(configuration, job, request.timeout_s * len(chosen))
    if "outcomes" not in answer:
        refused = RunReport(**{name: answer[name] for name in ("status", "error") if name in answer}).as_dict()
        return TrialOutcome(verdict(chosen[:1], [{"report": refused}]), (), given.not_understood)
    outcomes = answer["outcomes"]
    return TrialOutcome(verdict(chosen, outcomes), tuple(each["record"] for each in outcomes), given.not_understood)


def _chosen(request: RunRequest, parameters: Sequence[Mapping[str, Any]], given: CaseList) -> list[TrialCase]:
    generated = trial_cases.generated(parameters, request.args)
    usual = given.cases[0] if given.cases and not request.args else generated[0]
    known = [case.input for case in given.cases]
    return [
        *given.cases,
        *(case for case in generated if case.input not in known),
        *trial_cases.faulty(usual),
    ]
