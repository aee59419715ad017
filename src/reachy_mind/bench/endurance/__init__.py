"""Endurance: a real mind in mixed use for an hour, with random faults; docs/soak.md has the method.

Users type, speak, call tools, remember, switch personalities and steer a small fleet, all at once. Processes are
killed, lines cut, disks filled, models slowed and clocks set, in an order that follows from the seed. Counted are the
requests that were answered rightly, what was lost of what had been acknowledged, and whether memory grows. The
reference is the same mind, robot and users in the first minutes of the run, without faults.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import tempfile
import time
from collections import Counter
from itertools import count
from pathlib import Path
from random import Random
from typing import Final

import httpx

from reachy_mind.bench import Figures
from reachy_mind.bench.endurance.attempts import AttemptLog, WrongAnswer
from reachy_mind.bench.endurance.fault_schedule import FaultSchedule
from reachy_mind.bench.endurance.faults import FAULTS, MIND_KILLED
from reachy_mind.bench.endurance.losses import (
    Findings,
    left_over,
    missing_from_disk,
    missing_from_mind,
)
from reachy_mind.bench.endurance.probe import Probe
from reachy_mind.bench.endurance.report import EnduranceRun, write_report
from reachy_mind.bench.endurance.resource_use import ResourceUse
from reachy_mind.bench.endurance.rig import EnduranceRig, endurance_rig
from reachy_mind.bench.endurance.spoken_user import PAUSE_S, SpokenUser
from reachy_mind.bench.endurance.users import ACTIVITIES, Activity
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import MindError
from reachy_mind.models.store import Store

SECONDS: Final = 600.0
USES_SEED: Final = True
WRITES_REPORT: Final = True
REFERENCE_SHARE: Final = 0.1
LAST_WORDS_S: Final = 60.0
"""After the end, requests that are under way have so long."""


async def measure(configuration: Configuration, seconds: float, seed: int = 1, report: Path | None = None) -> Figures:
    """`report`: a Markdown file whose table of figures is written anew. Raises NotReady."""
    chance = Random(seed)  # noqa: S311 -- the same faults each time
    log = AttemptLog({kind.name: kind.explanation for kind in (*FAULTS, MIND_KILLED)})
    with tempfile.TemporaryDirectory(prefix="endurance-") as folder:
        async with endurance_rig(configuration, Path(folder), log, chance, with_fleet=True) as rig:
            run = await _use(rig, Store(configuration.models_folder), seconds, seed, chance)
            run.exit_code = await rig.mind.stop()
            await asyncio.to_thread(missing_from_disk, rig, run.findings)
            run.take_over_logs(rig)
            run.unexpected_ends = [*rig.mind.unexpected, *rig.simulator.unexpected]
            await rig.simulator.stop()
            if rig.node is not None:
                await rig.node.kill()
            left_over(rig, run.resources.seen, run.findings)
    if report is not None:
        await asyncio.to_thread(write_report, report, run)
    return run.figures()


async def _use(rig: EnduranceRig, store: Store, seconds: float, seed: int, chance: Random) -> EnduranceRun:
    """All users, and the faults after the reference time; what was acknowledged is then compared."""
    log, probe, resources, speaking = rig.log, Probe(rig), ResourceUse(rig), SpokenUser(store)
    began = time.monotonic()
    ends = began + seconds
    faults_from = began + REFERENCE_SHARE * seconds
    faults = FaultSchedule(rig, chance, faults_from, ends)
    activities = [*ACTIVITIES]
    if speaking.can_speak:
        activities.append(Activity("spoken turn", speaking.turn, PAUSE_S))
    async with contextlib.AsyncExitStack() as stack:
        stack.push_async_callback(speaking.aclose)
        watching = (("probe", probe.watch()), ("resources", resources.watch()), ("minutes", _tell(log, began)))
        for name, work in watching:
            stack.push_async_callback(cancel_and_wait, asyncio.create_task(work, name=name))
        users = [
            asyncio.create_task(_repeat(rig, each, Random(f"{seed} {each.name}"), ends), name=each.name)  # noqa: S311
            for each in activities
        ]
        for user in users:
            stack.push_async_callback(cancel_and_wait, user)
        await asyncio.sleep(faults_from - time.monotonic())
        await faults.run()
        await asyncio.wait(users, timeout=LAST_WORDS_S)
    findings = Findings()
    run = EnduranceRun(seed, began, faults_from, time.monotonic(), log, probe.counts, resources, faults, findings)
    run.spoken = speaking.can_speak
    run.own_disk = rig.own_disk
    try:
        await rig.until_ready()
        await missing_from_mind(rig, findings)
    except (MindError, WrongAnswer, httpx.HTTPError, TimeoutError) as error:
        findings.lost.append(f"not everything could be looked for: {type(error).__name__} {error}")
    return run


async def _tell(log: AttemptLog, began: float) -> None:
    """A line on stderr every minute."""
    for minute in count(1):
        await asyncio.sleep(max(0.0, began + 60 * minute - time.monotonic()))
        verdicts = Counter(each.verdict for each in log.attempts)
        told = ", ".join(f"{number} {verdict}" for verdict, number in sorted(verdicts.items()))
        open_faults = [window.kind for window in log.windows if window.recovered is None]
        print(f"minute {minute}: {told}; {len(log.windows)} faults, now {open_faults}", file=sys.stderr, flush=True)


async def _repeat(rig: EnduranceRig, activity: Activity, chance: Random, ends: float) -> None:
    """One user: requests with pauses, the next one when the last was answered."""
    while True:
        await asyncio.sleep(activity.pause_s * chance.uniform(0.5, 1.5))
        if time.monotonic() >= ends:
            return
        await rig.log.attempt(activity.name, activity.act(rig, chance))
