"""The process of a trial: reads one job as JSON from its standard input, and writes one report as JSON.

    in   {"run": RunRequest, "scene": name, "seed": number, "record": true, "cases": [TrialCase, ...] to try a tool}
    out  RunReport, with "record": what the host saw (`TrialRecord`), unless that is not wanted;
         with cases {"outcomes": [{"report", "record"}, ...]}

The `time` module follows the virtual clock before anything else is loaded. The budget of wall time counts real seconds.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any

from reachy_mind.workshop.trial.clock import VirtualClock
from reachy_mind.workshop.trial.event_loop import run

if TYPE_CHECKING:
    from reachy_mind.config.configuration import Configuration
    from reachy_mind.workshop.run_report import RunReport, RunRequest
    from reachy_mind.workshop.trial.world import TrialWorld


async def perform(job: Mapping[str, Any], clock: VirtualClock) -> dict[str, Any]:
    """Run a job in a world of its own. Returns the report; a MindError makes it `refused`."""
    from reachy_mind.config.configuration import load  # noqa: PLC0415 -- all of it after the clock
    from reachy_mind.errors import MindError  # noqa: PLC0415
    from reachy_mind.workshop.run_report import RunReport, RunRequest  # noqa: PLC0415
    from reachy_mind.workshop.trial.world import TrialWorld  # noqa: PLC0415

    seed = int(job.get("seed", 0))
    try:
        request = RunRequest(**job["run"])
        configuration = load()
        if "cases" in job:
            return {"outcomes": await _try(job, request, configuration, clock, seed)}
        async with (
            TrialWorld(configuration, scene=job.get("scene", "table"), seed=seed) as world,
            _sandbox(request.isolation, clock) as sandbox,
        ):
            report = await _execute(request, world, clock, sandbox)
    except MindError as error:
        return RunReport.refused(error).as_dict()
    return report.as_dict() | ({"record": world.record.as_dict()} if job.get("record", True) else {})


async def _try(
    job: Mapping[str, Any], request: RunRequest, configuration: Configuration, clock: VirtualClock, seed: int
) -> list[dict[str, Any]]:
    """Run every case in a world of its own, in workers of one sandbox."""
    from reachy_mind.workshop.trial.case_runs import cases_of, run_cases  # noqa: PLC0415

    async with _sandbox(request.isolation, clock) as sandbox:
        run_one = lambda one, world: _execute(one, world, clock, sandbox, discard=True)  # noqa: E731
        scene = job.get("scene", "table")
        return [each async for each in run_cases(configuration, request, cases_of(job), scene, seed, run_one)]


async def _execute(
    request: RunRequest, world: TrialWorld, clock: VirtualClock, sandbox: Any, *, discard: bool = False
) -> RunReport:
    from dataclasses import replace  # noqa: PLC0415
    from uuid import uuid4  # noqa: PLC0415

    from reachy_mind.errors import Cancelled  # noqa: PLC0415
    from reachy_mind.storage.home import Home  # noqa: PLC0415
    from reachy_mind.workshop.artifacts import Artifacts  # noqa: PLC0415
    from reachy_mind.workshop.capabilities import Capabilities  # noqa: PLC0415
    from reachy_mind.workshop.execution import execute  # noqa: PLC0415
    from reachy_mind.workshop.run_report import RunReport  # noqa: PLC0415
    from reachy_mind.workshop.trial.run_parts import SENT_MB, NoNetwork, RunTime, TrialBroker  # noqa: PLC0415
    from reachy_mind.workshop.workshop import budget_of, offered  # noqa: PLC0415

    capabilities = Capabilities.parse(request.allow)
    budget = replace(budget_of(request), sent_mb=SENT_MB)
    folder = world.folder if discard else Home.find().workshop_folder  # the world's own folder ends with it
    files = Artifacts(folder / "artifacts", uuid4().hex)
    registry = world.toolbox.registry

    async def work() -> RunReport:
        async with world.context(preempt=running.cancel) as ctx:
            http = NoNetwork(capabilities)
            broker = TrialBroker(clock, ctx, capabilities, budget, registry=registry, files=files, http=http)
            tools, time = offered(registry), RunTime(clock)
            return await execute(sandbox, request, broker, files, tools=tools, budget=budget, clock=time)

    running = asyncio.create_task(work(), name="trial run")
    await asyncio.wait([running])
    if running.cancelled():
        stopped = Cancelled("the robot was stopped, which ends the run", hint="what stopped it is in the record")
        return RunReport("killed", error=stopped.as_dict(), isolation=sandbox.profile.name)
    return running.result()


@contextlib.asynccontextmanager
async def _sandbox(isolation_name: str, clock: VirtualClock) -> AsyncIterator[Any]:
    """A sandbox that starts and ends in real time."""
    from reachy_mind.workshop import isolation  # noqa: PLC0415
    from reachy_mind.workshop.trial.run_parts import TrialSandbox  # noqa: PLC0415

    stack = contextlib.AsyncExitStack()
    with clock.real_time():
        profile = isolation.choose(isolation_name, await asyncio.to_thread(isolation.detect))
        sandbox = await stack.enter_async_context(TrialSandbox(profile, clock))
    try:
        yield sandbox
    finally:
        with clock.real_time():
            await stack.aclose()


def main() -> None:
    answer = os.dup(1)
    os.dup2(2, 1)  # libraries may print, which must not mix with the report
    clock = VirtualClock()
    with clock.patched():
        from reachy_mind import log  # noqa: PLC0415
        from reachy_mind.system.desktop import choose_off_screen_opengl  # noqa: PLC0415

        log.configure("error")
        choose_off_screen_opengl()
        report = run(lambda: perform(json.load(sys.stdin), clock), clock)
    with os.fdopen(answer, "w") as output:
        json.dump(report, output)


if __name__ == "__main__":
    main()
