"""`WorkerClient`: a `Worker` that survives cancelled calls.

People interrupt, so calls to speech models are often cancelled. A plain `Worker` kills its process then, and the next
sentence would wait seconds for the model to load. A client lets a cancelled call finish unheard for a short time, and
kills the process only after that.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from reachy_mind.errors import WorkerError
from reachy_mind.models.worker import Worker, WorkerStatus

FINISH_TIMEOUT_S = 1.0
"""How long a cancelled call may run on by default."""


class WorkerClient:
    """Owns one `Worker`; belongs to one event loop, and must be closed. `hint`: what to do when the model fails."""

    def __init__(
        self,
        name: str,
        factory: str,
        arguments: Mapping[str, Any],
        hint: str = "",
        *,
        start_timeout: float = 120.0,
        finish_timeout_s: float = FINISH_TIMEOUT_S,
    ) -> None:
        self._hint, self._finish_timeout_s = hint, finish_timeout_s
        self._worker = Worker(name, factory, arguments, start_timeout=start_timeout)
        self._abandoned_calls: set[asyncio.Task[None]] = set()
        self._starting: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Load the model, unless it is loaded. Cancelling the caller does not cancel the loading."""
        if self._starting is None or self._starting.done():
            self._starting = asyncio.create_task(self._worker.start(), name="engine start")
            self._starting.add_done_callback(_consume_error)
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
            keeper = asyncio.create_task(_finish_or_cancel(call, self._finish_timeout_s))
            self._abandoned_calls.add(keeper)
            keeper.add_done_callback(self._abandoned_calls.discard)
            raise

    def status(self) -> WorkerStatus:
        return self._worker.status()

    async def aclose(self) -> None:
        """End the process; a later call starts it again."""
        await self._worker.stop()
        if self._starting is not None:
            await asyncio.wait([self._starting])
        if self._abandoned_calls:
            await asyncio.wait(self._abandoned_calls)


async def _finish_or_cancel(call: asyncio.Task[Any], seconds: float) -> None:
    await asyncio.wait([call], timeout=seconds)
    call.cancel()
    await asyncio.wait([call])
    _consume_error(call)


def _consume_error(ended: asyncio.Task[Any]) -> None:
    """Retrieve the exception, else asyncio logs it when nothing awaits the task."""
    if not ended.cancelled():
        ended.exception()
