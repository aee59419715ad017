"""`cancel_and_wait` cancels an asyncio task and waits for its end; `is_ending` tells whose cancellation an error is."""

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


def is_ending(error: BaseException) -> bool:
    """Whether `error` is the cancellation of the current task itself, which has to be raised again.

    One of something that it waited for is an error like any other.
    """
    task = asyncio.current_task()
    return isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling() > 0
