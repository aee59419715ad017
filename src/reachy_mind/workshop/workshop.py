"""`Workshop`: runs files of untrusted code for the owner of the robot, and tells which isolation holds here.

Each isolation profile has a sandbox of its own, started with the first run. A run in virtual time takes place in a
world and a process of its own and never touches the robot.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any, Self
from uuid import uuid4

from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import Cancelled, MindError
from reachy_mind.tools.context import Context
from reachy_mind.tools.registry import Registry
from reachy_mind.workshop import isolation, virtual_run
from reachy_mind.workshop.artifacts import Artifacts
from reachy_mind.workshop.broker import Broker
from reachy_mind.workshop.capabilities import Capabilities, needed_by
from reachy_mind.workshop.check import check
from reachy_mind.workshop.execution import execute
from reachy_mind.workshop.http_broker import HttpBroker
from reachy_mind.workshop.isolation import IsolationProfile
from reachy_mind.workshop.run_budget import RunBudget
from reachy_mind.workshop.run_report import RunReport, RunRequest
from reachy_mind.workshop.sandbox import Sandbox
from reachy_mind.workshop.trial.cases import CaseList
from reachy_mind.workshop.trial.trial import CASE_S, TrialOutcome, try_tool

KEPT_REPORTS = 20
MAX_CPU_S = 600.0
HOUR_S = 3600.0


class Workshop:
    """Use as `async with`. One for each mind."""

    def __init__(self, configuration: Configuration) -> None:
        self._configuration = configuration
        self._profiles: tuple[IsolationProfile, ...] | None = None
        self._sandboxes: dict[str, Sandbox] = {}
        self._stack = contextlib.AsyncExitStack()
        self._opening = asyncio.Lock()
        self._trying = asyncio.Lock()
        self._reports: OrderedDict[str, RunReport] = OrderedDict()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        await self._stack.aclose()

    async def profiles(self) -> tuple[IsolationProfile, ...]:
        """The isolation profiles of this machine, the strongest first."""
        if self._profiles is None:
            self._profiles = await asyncio.to_thread(isolation.detect)
        return self._profiles

    async def status(self) -> dict[str, Any]:
        """Which profile runs code here, and which layers hold or are missing in each."""
        profiles = await self.profiles()
        try:
            chosen, reason = isolation.choose("auto", profiles), ""
        except MindError as error:
            chosen, reason = None, error.message
        return {
            "ready": chosen is not None,
            "isolation": chosen.name if chosen else None,
            "reason": reason,
            "profiles": [profile.as_dict() for profile in profiles],
        }

    async def run(self, request: RunRequest, ctx: Context, registry: Registry) -> RunReport:
        """Run a file. Its calls of tools and of the robot go through the gate of the call that `ctx` belongs to."""
        try:
            report = await self._run(request, ctx, registry)
        except MindError as error:
            report = RunReport.refused(error)
        self._keep(ctx.call_id, report)
        return report

    def _keep(self, call_id: str, report: RunReport) -> None:
        self._reports[call_id] = report
        while len(self._reports) > KEPT_REPORTS:
            self._reports.popitem(last=False)

    def report_of_cancelled(self, call_id: str) -> RunReport | None:
        """The report of a run that was cut short: what it called until then. It stays for `report`."""
        return self._reports.get(call_id)

    def report(self, call_id: str) -> RunReport | None:
        """The report of a recent run, by the id of its call; once."""
        return self._reports.pop(call_id, None)

    async def _run(self, request: RunRequest, ctx: Context, registry: Registry) -> RunReport:
        capabilities = Capabilities.parse(request.allow)
        profile = isolation.choose(request.isolation, await self.profiles())
        if request.virtual_time:
            return await virtual_run.run(self._configuration, replace(request, isolation=profile.name))
        sandbox = await self._sandbox(profile)
        budget = budget_of(request)
        files = Artifacts(self._configuration.home.workshop_folder / "artifacts", uuid4().hex)
        http = HttpBroker(capabilities, self._configuration.settings.workshop.http_hosts)
        broker = Broker(ctx, capabilities, budget, registry=registry, files=files, http=http)
        try:
            return await execute(sandbox, request, broker, files, tools=offered(registry), budget=budget)
        except asyncio.CancelledError:
            cut = Cancelled("it was stopped, or a newer command came", hint="run it again")
            calls = tuple(record.as_dict() for record in broker.record)
            self._keep(ctx.call_id, RunReport("killed", error=cut.as_dict(), calls=calls, isolation=profile.name))
            raise

    async def _sandbox(self, profile: IsolationProfile) -> Sandbox:
        async with self._opening:
            if profile.name not in self._sandboxes:
                self._sandboxes[profile.name] = await self._stack.enter_async_context(Sandbox(profile))
            return self._sandboxes[profile.name]

    async def check(self, code: str, filename: str, registry: Registry) -> dict[str, Any]:
        """Findings on a file, without running it."""
        return await check(code, filename, {tool.name: ",".join(needed_by(tool)) for tool in registry})

    async def try_out(
        self, request: RunRequest, parameters: Sequence[Mapping[str, Any]], given: CaseList
    ) -> TrialOutcome:
        """Try a tool in simulation, as `try_tool` does. One trial at a time: each case has little real time, which
        another trial would take from it. Raises WorkerError."""
        timed = replace(request, timeout_s=CASE_S)
        async with self._trying:
            return await try_tool(self._configuration, timed, parameters, given)


def budget_of(request: RunRequest) -> RunBudget:
    """The budget of a run; its time is the caller's. For each further hour it may call and send as much again."""
    budget = RunBudget()
    if request.timeout_s == budget.wall_s:
        return budget
    hours = max(math.ceil(request.timeout_s / HOUR_S), 1)
    return replace(
        budget,
        wall_s=request.timeout_s,
        cpu_s=min(max(request.timeout_s, 1.0), MAX_CPU_S),
        calls=budget.calls * hours,
        sent_mb=budget.sent_mb * hours,
    )


def offered(registry: Registry) -> list[dict[str, Any]]:
    """The tools that code can call by bare name, with their parameters in order."""
    return [
        {"name": tool.name, "parameters": list(tool.schema.get("properties", {}))}
        for tool in registry
        if not tool.hidden and not tool.opt_in and not tool.not_ready_reason
    ]
