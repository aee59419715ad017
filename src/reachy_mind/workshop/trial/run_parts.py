"""What a run has in a trial instead of the usual: sandbox, broker, clock and network."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any
from urllib.parse import urlsplit

from reachy_mind.errors import InvalidParameter, NotReady
from reachy_mind.workshop.broker import Broker
from reachy_mind.workshop.http_broker import HttpBroker
from reachy_mind.workshop.isolation import IsolationProfile
from reachy_mind.workshop.run_budget import BudgetExceeded, RunBudget
from reachy_mind.workshop.sandbox import Sandbox
from reachy_mind.workshop.sandbox_worker import SandboxWorker
from reachy_mind.workshop.trial.clock import VirtualClock, real_monotonic

SENT_MB = 256
"""Instead of the usual budget: every sleep is a message."""
MAX_VIRTUAL_S = 2 * 86400.0
MAX_SLEEPERS = 256
MAX_TIME = 1e12
"""Unix time far beyond every day that a trial may have."""


class TrialSandbox(Sandbox):
    """A sandbox whose worker holds the clock while it computes. It starts workers in real time."""

    def __init__(self, profile: IsolationProfile, clock: VirtualClock) -> None:
        super().__init__(profile, ready=0, pause=clock.real_pause)
        self._clock = clock

    async def worker(self, budget: RunBudget | None = None) -> SandboxWorker:
        with self._clock.real_time():
            worker = await super().worker(budget)
        self._clock.watch(worker.pid)
        worker.when_ended(lambda: self._clock.unwatch(worker.pid))
        return worker


class TrialBroker(Broker):
    """A broker that also answers `clock.sleep`, which counts as no call."""

    def __init__(self, clock: VirtualClock, *args: Any, **parts: Any) -> None:
        super().__init__(*args, **parts)
        self.clock = clock
        self._sleepers: dict[int, asyncio.Event] = {}

    async def call(self, method: Any, args: Any) -> Any:
        if self.clock.elapsed > MAX_VIRTUAL_S:
            raise BudgetExceeded("two days of virtual time have passed", hint="a trial lasts two days at most")
        if method != "clock.sleep":
            return await super().call(method, args)
        await self._sleep(args if isinstance(args, dict) else {})
        return None

    async def _sleep(self, args: Mapping[str, Any]) -> None:
        """Wait until the Unix time `until`, or until the same waiter, unless that is 0, waits for another one."""
        until, waiter = args.get("until"), args.get("waiter", 0)
        if not isinstance(until, int | float) or not abs(until) < MAX_TIME or not isinstance(waiter, int):
            raise InvalidParameter("clock.sleep takes a time and a number")
        sleepers = self._sleepers
        if before := sleepers.pop(waiter, None):
            before.set()
        if until <= self.clock.time():
            return
        if until - self.clock.epoch > MAX_VIRTUAL_S + 1:
            raise BudgetExceeded("the code waits for more than two days", hint="a trial lasts two days at most")
        if len(sleepers) >= MAX_SLEEPERS:
            raise BudgetExceeded("too many threads wait", hint="start less of them")
        over = asyncio.Event()
        if waiter:
            sleepers[waiter] = over
        try:
            async with asyncio.timeout(until - self.clock.time()):
                await over.wait()
        except TimeoutError:
            if sleepers.get(waiter) is over:
                del sleepers[waiter]


class NoNetwork(HttpBroker):
    """A trial has no network. The code is told what it is told on a computer without one."""

    async def request(self, args: Mapping[str, Any]) -> dict[str, Any]:
        host = urlsplit(str(args.get("url", ""))).hostname or "the host"
        raise NotReady(f"{host[:100]} is not known: there is no network", hint="is this computer connected?")


class RunTime:
    """The clock of an execution: limits in real seconds, shown times virtual."""

    def __init__(self, clock: VirtualClock) -> None:
        self._clock = clock

    def now(self) -> float:
        return real_monotonic()

    def timeout(self, seconds: float) -> AbstractAsyncContextManager[Any]:
        return self._clock.wall_timeout(seconds)

    def shown(self) -> float:
        return self._clock.time()
