"""`Later`: one thing that happens after a while, unless it is forgotten before."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Protocol


class Owner(Protocol):
    """A part of a pipeline, which owns its tasks."""

    def create_task(self, coroutine: Coroutine[Any, Any, None], name: str | None = None) -> asyncio.Task[None]: ...
    async def cancel_task(self, task: asyncio.Task[None], timeout: float | None = 1.0) -> None: ...


Wait = float | Callable[[], Awaitable[float]]
"""Seconds, or what finds out how many."""


class Later:
    def __init__(self, owner: Owner, name: str) -> None:
        self._owner, self._name = owner, name
        self._task: asyncio.Task[None] | None = None

    async def set(self, wait: Wait, do: Callable[[], Awaitable[None]]) -> None:
        """Do this then, and not what was set before."""
        await self.forget()
        self._task = self._owner.create_task(self._wait(wait, do), self._name)

    async def forget(self) -> None:
        if self._task is not None:
            task, self._task = self._task, None
            await self._owner.cancel_task(task)

    async def _wait(self, wait: Wait, do: Callable[[], Awaitable[None]]) -> None:
        await asyncio.sleep(wait if isinstance(wait, float | int) else await wait())
        self._task = None  # from here on it is done, and can't be forgotten
        await do()
