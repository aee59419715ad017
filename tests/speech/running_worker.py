"""A pipecat worker that runs for as long as a test needs it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from pipecat.pipeline.worker import PipelineWorker
from pipecat.workers.runner import WorkerRunner


@asynccontextmanager
async def running_worker(worker: PipelineWorker) -> AsyncIterator[None]:
    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(worker)
    running = asyncio.create_task(runner.run())
    try:
        yield
    finally:
        await runner.cancel()
        with suppress(asyncio.CancelledError):
            await running
