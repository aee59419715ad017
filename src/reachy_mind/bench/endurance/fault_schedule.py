"""`FaultSchedule`: one fault after another, in an order that follows from a seed, each until everything works again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from random import Random
from typing import Final

import httpx

from reachy_mind.bench.endurance.faults import FAULTS, MIND_KILLED, FaultKind
from reachy_mind.bench.endurance.rig import EnduranceRig
from reachy_mind.errors import MindError

PAUSE_S: Final = (3.0, 12.0)
RECOVERY_TIMEOUT_S: Final = 300.0
POLL_S: Final = 0.25
SECONDS_PER_MIND_KILL: Final = 1200.0
MIND_KILLS_UNTIL: Final = 0.6
"""In this first share of the faulty time: the memory of the last one is then judged for long enough."""


class FaultSchedule:
    """Call `run` as a task. `not_done`: kinds that could not be done here, with the reason; `stuck`: faults after which
    something did not work again in time."""

    def __init__(self, rig: EnduranceRig, chance: Random, began: float, ends: float) -> None:
        self._rig, self._chance = rig, chance
        self.not_done: dict[str, str] = {}
        self.stuck: list[str] = []
        self._ends = ends
        kills = max(1, round((ends - began) / SECONDS_PER_MIND_KILL))
        until = began + MIND_KILLS_UNTIL * (ends - began)
        self._mind_kills = sorted(chance.uniform(began, until) for _ in range(kills))

    async def run(self) -> None:
        kinds = self._order([kind for kind in FAULTS if self._rig.fleet is not None or not kind.fleet])
        while time.monotonic() < self._ends:
            if self._mind_kills and time.monotonic() >= self._mind_kills[0]:
                del self._mind_kills[0]
                await self._do(MIND_KILLED)
            else:
                await self._do(next(kinds))
            await asyncio.sleep(self._chance.uniform(*PAUSE_S))

    def _order(self, kinds: Sequence[FaultKind]) -> Iterator[FaultKind]:
        """All of them, shuffled, again and again."""
        while True:
            yield from self._chance.sample(kinds, len(kinds))

    async def _do(self, kind: FaultKind) -> None:
        window = self._rig.log.begin_fault(kind.name)
        try:
            await kind.act(self._rig, self._chance)
        except (MindError, OSError, httpx.HTTPError) as error:
            self.not_done[kind.name] = str(error)
            self._rig.log.windows.remove(window)
            return
        window.ended = time.monotonic()
        if await self._until_it_works(kind):
            window.recovered = time.monotonic()
        else:
            self.stuck.append(f"{kind.name}: not recovered within {RECOVERY_TIMEOUT_S:g} s")

    async def _until_it_works(self, kind: FaultKind) -> bool:
        deadline = time.monotonic() + RECOVERY_TIMEOUT_S
        while time.monotonic() < deadline:
            try:
                async with asyncio.timeout(RECOVERY_TIMEOUT_S / 10):
                    await kind.works(self._rig, self._chance)
            except Exception:  # noqa: BLE001 -- whatever it is, it does not work yet
                await asyncio.sleep(POLL_S)
            else:
                return True
        return False
