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

CASE_S = 25.0
"""Real seconds for a case. A picture takes a tenth of a second without a GPU, and a search takes a hundred of them."""


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
    given: CaseList,
) -> TrialOutcome:
    """Try a tool. `request.args`: usual arguments; `parameters`: as `check` reports them. Raises WorkerError."""
    chosen = _chosen(request, parameters, given)
    job = {
        "run": request.as_dict() | {"virtual_time": True},
        "scene": configuration.settings.robot.scene,
        "cases": [case.as_dict() for case in chosen],
    }
    answer = await virtual_run.perform(configuration, job, request.timeout_s * len(chosen))
    if "outcomes" not in answer:
        refused = RunReport(**{name: answer[name] for name in ("status", "error") if name in answer}).as_dict()
        return TrialOutcome(verdict(chosen[:1], [{"report": refused}]), (), given.not_understood)
    outcomes = answer["outcomes"]
    return TrialOutcome(verdict(chosen, outcomes), tuple(each["record"] for each in outcomes), given.not_understood)


def _chosen(request: RunRequest, parameters: Sequence[Mapping[str, Any]], given: CaseList) -> list[TrialCase]:
    """The given cases, the usual arguments once, and generated cases and faults.

    Those start from the first given case, where one expects a success: it is short, and the usual run may last an hour.
    """
    short = next((case.input for case in given.cases if case.origin == "given" and not case.expects_error), {})
    usual = trial_cases.generated(parameters, request.args)[0]
    generated = trial_cases.generated(parameters, {**request.args, **short})
    known = [case.input for case in given.cases]
    others = [usual, *(case for case in generated if case.input != usual.input)]
    return [
        *given.cases,
        *(case for case in others if case.input not in known),
        *trial_cases.faulty(generated[0]),
    ]
