"""`DelayedCall`: a timer of a pipeline part: one call after a delay, unless it is cancelled before."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Protocol


class TaskOwner(Protocol):
    """A part of a pipeline: it owns its tasks."""

    def create_task(self, coroutine: Coroutine[Any, Any, None], name: str | None = None) -> asyncio.Task[None]: ...
    async def cancel_task(self, task: asyncio.Task[None], timeout: float | None = 1.0) -> None: ...


Delay = float | Callable[[], Awaitable[float]]
"""Seconds, or a function that finds out how many."""


class DelayedCall:
    def __init__(self, owner: TaskOwner, name: str) -> None:
        self._owner, self._name = owner, name
        self._task: asyncio.Task[None] | None = None

    async def set(self, delay: Delay, do: Callable[[], Awaitable[None]]) -> None:
        """Do this after the delay; what was set before is cancelled."""
        await self.cancel()
        self._task = self._owner.create_task(self._run(delay, do), self._name)

    async def cancel(self) -> None:
        if self._task is not None:
            task, self._task = self._task, None
            await self._owner.cancel_task(task)

    async def _run(self, delay: Delay, do: Callable[[], Awaitable[None]]) -> None:
        await asyncio.sleep(delay if isinstance(delay, float | int) else await delay())
        self._task = None  # from here on it can't be cancelled
        await do()
