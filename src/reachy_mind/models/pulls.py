"""`Pulls`: downloads of models in the background of a running mind, with their progress as events."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from reachy_mind import log
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import MindError
from reachy_mind.events import Bus, ModelPullChanged
from reachy_mind.models.store import Progress, Store

REPORT_INTERVAL_S = 0.5
"""Least time between two events about the same stage of a pull."""

_log = log.get(__name__)


@dataclass(frozen=True)
class Pull:
    """How a pull stands: `done` of `total` bytes of its stage."""

    state: Literal["running", "ready", "failed", "cancelled"]
    stage: str
    done: int
    total: int
    error: dict[str, str] | None = None

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


class Pulls:
    """Pulls of one store. `ready` is called with the name of each model that has arrived."""

    def __init__(self, store: Store, bus: Bus, ready: Callable[[str], None]) -> None:
        self.store = store
        self._bus, self._ready = bus, ready
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._pulls: dict[str, Pull] = {}
        self._reported_at: dict[str, float] = {}
        self._late_reports: dict[str, asyncio.TimerHandle] = {}

    def start(self, name: str) -> Pull:
        """Pull a model in the background, unless that is under way. Raises InvalidParameter for an unknown name."""
        asset = self.store.asset(name)
        if name not in self._tasks:
            self._report(name, Pull("running", "waiting", 0, asset.size))
            self._tasks[name] = asyncio.create_task(self._run(name), name=f"pull {name}")
        return self._pulls[name]

    def get(self, name: str) -> Pull | None:
        """The pull that runs or was the last; None before the first."""
        return self._pulls.get(name)

    @property
    def failed(self) -> set[str]:
        """Models whose last pull failed."""
        return {name for name, pull in self._pulls.items() if pull.state == "failed"}

    async def cancel(self, name: str) -> bool:
        """End a pull; what was downloaded is kept for the next one. Whether one was under way."""
        self.store.asset(name)
        if (task := self._tasks.get(name)) is None:
            return False
        await cancel_and_wait(task)
        if name in self._tasks:  # it was cancelled before it began
            self._end(name, "cancelled")
        return True

    async def aclose(self) -> None:
        """End all pulls."""
        for task in tuple(self._tasks.values()):
            await cancel_and_wait(task)

    async def _run(self, name: str) -> None:
        try:
            await self.store.pull(name, self._progressed)
        except asyncio.CancelledError:
            self._end(name, "cancelled")
            raise
        except MindError as error:
            _log.warning("a model could not be pulled", model=name, reason=error.message, hint=error.hint)
            self._end(name, "failed", error.as_dict())
        except Exception as error:  # noqa: BLE001 -- the conversation goes on
            _log.exception("a model could not be pulled", model=name)
            failure = MindError(f"the download failed with {type(error).__name__}", hint="see the log")
            self._end(name, "failed", failure.as_dict())
        else:
            self._end(name, "ready")
            self._ready(name)

    def _progressed(self, progress: Progress) -> None:
        name, before = progress.asset.name, self._pulls[progress.asset.name]
        now = Pull("running", progress.stage, progress.done, progress.total)
        self._pulls[name] = now
        wait_s = self._reported_at[name] + REPORT_INTERVAL_S - time.monotonic()
        if now.stage != before.stage or wait_s <= 0:
            self._report(name, now)
        elif name not in self._late_reports:  # so that the last bytes before a silence are told too
            loop = asyncio.get_running_loop()
            self._late_reports[name] = loop.call_later(wait_s, lambda: self._report(name, self._pulls[name]))

    def _end(
        self, name: str, state: Literal["ready", "failed", "cancelled"], error: dict[str, str] | None = None
    ) -> None:
        del self._tasks[name]
        self._report(name, replace(self._pulls[name], state=state, error=error))

    def _report(self, name: str, pull: Pull) -> None:
        if (late := self._late_reports.pop(name, None)) is not None:
            late.cancel()
        self._pulls[name], self._reported_at[name] = pull, time.monotonic()
        self._bus.publish(ModelPullChanged(name=name, **asdict(pull)))
