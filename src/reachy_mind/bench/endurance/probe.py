"""`Probe`: asks every second whether the mind is there, and stops the robot every tenth, as a person in need would."""

from __future__ import annotations

import asyncio
import contextlib
import time
from dataclasses import dataclass, field
from typing import Final

import httpx

from reachy_mind.bench.endurance.rig import EnduranceRig
from reachy_mind.client import RemoteError

PERIOD_S: Final = 1.0
HEALTH_TIMEOUT_S: Final = 2.0
STOP_EVERY: Final = 10
STOP_TIMEOUT_S: Final = 5.0


@dataclass
class ProbeCounts:
    """Seconds with and without an answer, stops likewise, and how long the answers took."""

    seconds: int = 0
    answered: int = 0
    stops: int = 0
    stops_answered: int = 0
    stops_explained: int = 0
    """Answered with an error that names a fault which was under way, such as a lost robot."""
    health_ms: list[float] = field(default_factory=list)
    stop_ms: list[float] = field(default_factory=list)
    unanswered_at: list[float] = field(default_factory=list)

    @property
    def answered_percent(self) -> float:
        return round(100 * self.answered / max(1, self.seconds), 3)

    @property
    def stops_percent(self) -> float:
        return round(100 * (self.stops_answered + self.stops_explained) / max(1, self.stops), 3)


class Probe:
    """Call `watch` as a task."""

    def __init__(self, rig: EnduranceRig) -> None:
        self._rig, self.counts = rig, ProbeCounts()
        self._stopping: set[asyncio.Task[None]] = set()

    async def watch(self) -> None:
        """Until it is cancelled. A second has its own probe, however long the last one took."""
        began, number = time.monotonic(), 0
        limits = httpx.Limits(keepalive_expiry=HEALTH_TIMEOUT_S)
        url = f"http://127.0.0.1:{self._rig.port}"
        async with (
            httpx.AsyncClient(base_url=url, trust_env=False, limits=limits) as http,
            asyncio.TaskGroup() as group,
        ):
            while True:
                await asyncio.sleep(max(0.0, began + number * PERIOD_S - time.monotonic()))
                group.create_task(self._health(http), name="probe")
                if number % STOP_EVERY == STOP_EVERY - 1:
                    group.create_task(self._stop(http), name="probe stop")
                number += 1

    async def _health(self, http: httpx.AsyncClient) -> None:
        began = time.monotonic()
        answered = False
        with contextlib.suppress(httpx.HTTPError):
            answered = (await http.get("/healthz", timeout=HEALTH_TIMEOUT_S)).status_code == httpx.codes.OK
        self.counts.seconds += 1
        self.counts.answered += answered
        if answered:
            self.counts.health_ms.append(1000 * (time.monotonic() - began))
        else:
            self.counts.unanswered_at.append(began)

    async def _stop(self, http: httpx.AsyncClient) -> None:
        began, counts, log = time.monotonic(), self.counts, self._rig.log
        log.stops.append(began)
        counts.stops += 1
        with contextlib.suppress(httpx.HTTPError, ValueError, KeyError):
            answer = await http.post("/api/v1/robot/stop", json={}, timeout=STOP_TIMEOUT_S)
            if answer.status_code == httpx.codes.OK:
                counts.stops_answered += 1
                counts.stop_ms.append(1000 * (time.monotonic() - began))
            elif log.explains(RemoteError(answer.json()["error"]), began):
                counts.stops_explained += 1
