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
"""How long a call nobody waits for may run on."""


class Engine:
    """One `Worker`; belongs to one event loop, and must be closed. `hint`: what to do when the model fails."""

    def __init__(self, name: str, factory: str, arguments: Mapping[str, Any], hint: str = "") -> None:
        self._hint = hint
        self._worker = Worker(name, factory, arguments)
        self._running_on: set[asyncio.Task[None]] = set()

    async def call(self, method: str, *args: Any, timeout: float) -> Any:
        """As `Worker.call`, but a cancelled call keeps the model loaded."""
        call = asyncio.create_task(self._worker.call(method, *args, timeout=timeout))
        try:
            return await asyncio.shield(call)
        except WorkerError as error:
            error.hint = error.hint or self._hint
            raise
        except asyncio.CancelledError:
            keeper = asyncio.create_task(_let_finish(call))
            self._running_on.add(keeper)
            keeper.add_done_callback(self._running_on.discard)
            raise

    def status(self) -> WorkerStatus:
        return self._worker.status()

    async def aclose(self) -> None:
        """End the process; a later call starts it again."""
        await self._worker.stop()
        if self._running_on:
            await asyncio.wait(self._running_on)


async def _let_finish(call: asyncio.Task[Any]) -> None:
    await asyncio.wait([call], timeout=FINISH_S)
    call.cancel()
    await asyncio.wait([call])
    if not call.cancelled():
        call.exception()  # read it, or asyncio complains; nobody waits for it
