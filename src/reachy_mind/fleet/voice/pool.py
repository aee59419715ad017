"""`VoicePool`: the voice workers of a node: who gets a session, in which worker, and who is refused.

A worker is started for the first session that needs it, and ended when it had none for a while. One that dies ends its
sessions with the reason; the next session starts another.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Self

from reachy_mind import log
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import MindError
from reachy_mind.fleet.voice.session import VoiceRefused
from reachy_mind.fleet.voice.voice_process import ProcessSession, VoiceProcess
from reachy_mind.models.machine import usable_cores

if TYPE_CHECKING:
    from reachy_mind.fleet.device.personas import PersonaTexts
    from reachy_mind.fleet.voice.worker_setup import WorkerSetup

SESSIONS_PER_CORE: Final = 8
"""Held at the same time with the first sound of an answer within a second: measured by `bench voice_sessions`."""
RETRY_AFTER_S: Final = 15.0
UNUSED_S: Final = 600.0
"""A worker without a session for so long is ended: it needs some hundred megabytes."""
CHECK_S: Final = 30.0
EARLY_DEATH_S: Final = 10.0
DEATH_PAUSE_S: Final = 30.0
"""After two workers that died right after their start no other one is started for a while."""

_log = log.get(__name__)


@dataclass
class PoolCounters:
    """Counted since the start."""

    opened: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    """By why: full, tenant, failed."""
    deaths: int = 0


def cores() -> int:
    """The cores that this process may use."""
    return usable_cores()


class VoicePool:
    """Use as `async with`. `limit`: sessions at the same time; None: as many as the cores can hold; 0: none.

    `workers`: processes; None: one for each core, but not more than sessions.
    """

    def __init__(self, setup: WorkerSetup, limit: int | None = None, workers: int | None = None) -> None:
        self.limit = SESSIONS_PER_CORE * cores() if limit is None else limit
        self.counters = PoolCounters()
        self.told_latency: Callable[[float], None] = lambda ms: None  # noqa: ARG005
        """Called with the milliseconds from the end of a person's voice to the first sound of each answer."""
        self._setup = setup
        self._workers = max(1, min(workers or cores(), self.limit))
        self._enough = max(1, self.limit // (2 * self._workers))
        """Sessions of every worker before another one is started."""
        self._processes: list[VoiceProcess] = []
        self._held: Counter[str] = Counter()
        """Sessions by tenant, opening ones included."""
        self._load: Counter[VoiceProcess] = Counter()
        self._used_at: dict[VoiceProcess, float] = {}
        self._started_at: dict[VoiceProcess, float] = {}
        self._early_deaths = 0
        self._paused_until = 0.0
        self._starting = asyncio.Lock()
        self._closing: set[asyncio.Task[None]] = set()
        self._checking: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        """Sessions, opening ones included."""
        return self._held.total()

    @property
    def pids(self) -> list[int]:
        """The processes of the workers."""
        return [process.pid for process in self._processes if process.pid is not None]

    async def __aenter__(self) -> Self:
        self._checking = asyncio.create_task(self._end_unused(), name="voice pool")
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._checking is not None:
            await cancel_and_wait(self._checking)
        for process in tuple(self._processes):
            await process.aclose("the control plane is ending")
        for task in tuple(self._closing):
            await asyncio.wait([task])

    async def open(
        self, tenant: str, persona: PersonaTexts | None, language: str, *, share: int | None = None
    ) -> ProcessSession:
        """Open a session. `share`: how many a tenant may have at once, when there are others. Raises VoiceRefused."""
        if self.limit == 0:
            raise self._refused("off", "voice sessions are switched off here", hint="fleet.voice_sessions", retry=0.0)
        if len(self) >= self.limit:
            raise self._refused("full", f"all {self.limit} voice sessions are in use", retry=RETRY_AFTER_S)
        if share is not None and self._held[tenant] >= share:
            raise self._refused("tenant", f"all {share} voice sessions of yours are in use", retry=RETRY_AFTER_S)
        held = contextlib.ExitStack()  # closed once, by whoever is first
        self._held[tenant] += 1
        held.callback(self._give_back, tenant)
        try:
            process = await self._chosen()
            self._load[process] += 1
            held.callback(self._unload, process)
            session = await process.open(persona, language, self.told_latency, held.close)
        except VoiceRefused:
            held.close()
            self.counters.refused["failed"] += 1
            raise
        except MindError as error:
            held.close()
            raise self._refused("failed", error.message, hint=error.hint, retry=RETRY_AFTER_S) from error
        except BaseException:
            held.close()
            raise
        self.counters.opened += 1
        return session

    async def _chosen(self) -> VoiceProcess:
        """The worker with the fewest sessions; a new one when all are half full. Raises VoiceRefused, WorkerError."""
        async with self._starting:
            alive = [process for process in self._processes if not process.gone]
            least = min(alive, key=lambda process: self._load[process], default=None)
            if least is not None and (self._load[least] < self._enough or len(alive) >= self._workers):
                return least
            if (wait_s := self._paused_until - time.monotonic()) > 0:
                raise VoiceRefused("voice workers die as soon as they start", retry_after_s=wait_s)
            names, taken = (f"voice {number}" for number in itertools.count(1)), {each.name for each in alive}
            process = VoiceProcess(next(name for name in names if name not in taken), self._setup, self._on_death)
            await process.start()
            self._processes.append(process)
            self._started_at[process] = time.monotonic()
            return process

    def _give_back(self, tenant: str) -> None:
        self._held[tenant] -= 1
        if not self._held[tenant]:
            del self._held[tenant]

    def _unload(self, process: VoiceProcess) -> None:
        self._load[process] -= 1
        self._used_at[process] = time.monotonic()

    def _on_death(self, process: VoiceProcess) -> None:
        self.counters.deaths += 1
        if time.monotonic() - self._started_at[process] < EARLY_DEATH_S:
            self._early_deaths += 1
            if self._early_deaths > 1:
                self._paused_until = time.monotonic() + DEATH_PAUSE_S
        else:
            self._early_deaths = 0
        self._remove(process)

    def _remove(self, process: VoiceProcess) -> None:
        with contextlib.suppress(ValueError):
            self._processes.remove(process)
        for kept in (self._used_at, self._started_at, self._load):
            kept.pop(process, None)
        task = asyncio.create_task(process.aclose(), name="voice process close")
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def _end_unused(self) -> None:
        while True:
            await asyncio.sleep(CHECK_S)
            now = time.monotonic()
            for process in tuple(self._processes):
                if not self._load[process] and now - self._used_at.get(process, now) > UNUSED_S:
                    _log.info("a voice worker is ended: nobody talks", worker=process.name)
                    self._remove(process)

    def _refused(self, why: str, reason: str, *, hint: str = "", retry: float) -> VoiceRefused:
        self.counters.refused[why] += 1
        return VoiceRefused(reason, hint=hint, retry_after_s=retry)
