"""`ended`: how a task is ended by whoever began it."""

from __future__ import annotations

import asyncio
from typing import Any


async def ended(task: asyncio.Task[Any]) -> None:
    """Cancel it and wait until it is over. Raises what it failed with, never its cancellation.

    Whoever waits here can be cancelled too, which `await task` with a suppressed CancelledError would hide.
    """
    task.cancel()
    await asyncio.wait([task])
    if not task.cancelled():
        task.result()
