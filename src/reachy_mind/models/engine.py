"""A model in its own process that survives callers who change their mind.

People interrupt: what is being heard or said is often not wanted any more. A worker ends its process when a call is
cancelled, and the next sentence would wait seconds for the model to be loaded again. An engine lets such a call finish
for nobody when that is soon, and ends the process only when it is not.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from reachy_mind.errors import WorkerError
from reachy_mind.models.worker import Worker, WorkerStatus

FINISH_S = 1.0
"""How long a call nobody waits for may run on, unless said otherwise."""


class Engine:
    """One `Worker`; belongs to one event loop, and must be closed. `hint`: what to do when the model fails."""

    def __init__(
        self,
        name: str,
        factory: str,
        arguments: Mapping[str, Any],
        hint: str = "",
        *,
        start_timeout: float = 120.0,
        finish_s: float = FINISH_S,
    ) -> None:
        self._hint, self._finish_s = hint, finish_s
        self._worker = Worker(name, factory, arguments, start_timeout=start_timeout)
        self._running_on: set[asyncio.Task[None]] = set()
        self._starting: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Load the model, unless it is there. Who stops waiting for it does not stop the loading."""
        if self._starting is None or self._starting.done():
            self._starting = asyncio.create_task(self._worker.start(), name="engine start")
            self._starting.add_done_callback(_read)
        try:
            await asyncio.shield(self._starting)
        except WorkerError as error:
            error.hint = error.hint or self._hint
            raise

    async def call(self, method: str, *args: Any, timeout: float) -> Any:
        """As `Worker.call`, but a cancelled call keeps the model loaded."""
        call = asyncio.create_task(self._worker.call(method, *args, timeout=timeout))
        try:
            return await asyncio.shield(call)
        except WorkerError as error:
            error.hint = error.hint or self._hint
            raise
        except asyncio.CancelledError:
            keeper = asyncio.create_task(_let_finish(call, self._finish_s))
            self._running_on.add(keeper)
            keeper.add_done_callback(self._running_on.discard)
            raise

    def status(self) -> WorkerStatus:
        return self._worker.status()

    async def aclose(self) -> None:
        """End the process; a later call starts it again."""
        await self._worker.stop()
        if self._starting is not None:
            await asyncio.wait([self._starting])
        if self._running_on:
            await asyncio.wait(self._running_on)


async def _let_finish(call: asyncio.Task[Any], seconds: float) -> None:
    await asyncio.wait([call], timeout=seconds)
    call.cancel()
    await asyncio.wait([call])
    _read(call)


def _read(ended: asyncio.Task[Any]) -> None:
    """What it raised, or asyncio complains; perhaps nobody waits for it."""
    if not ended.cancelled():
        ended.exception()
