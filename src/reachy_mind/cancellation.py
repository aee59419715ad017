"""`cancel_and_wait`: cancels an asyncio task and waits until it has finished."""

from __future__ import annotations

import asyncio
from typing import Any


async def cancel_and_wait(task: asyncio.Task[Any]) -> None:
    """Cancel `task` and wait until it is done. Raises the task's own error, never its CancelledError.

    A cancellation of the caller still gets through; `await task` with a suppressed CancelledError would hide it.
    """
    task.cancel()
    await asyncio.wait([task])
    if not task.cancelled():
        task.result()
