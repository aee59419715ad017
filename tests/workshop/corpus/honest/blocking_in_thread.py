"""Blocks in a thread while the loop goes on."""

import asyncio
import time


def count_slowly(limit: int) -> int:
    for _ in range(limit):
        time.sleep(0.02)
    return limit


async def blocking_in_thread() -> dict:
    """Count slowly beside a ticking loop."""
    ticks = 0
    task = asyncio.create_task(asyncio.to_thread(count_slowly, 10))
    while not task.done():
        ticks += 1
        await asyncio.sleep(0.01)
    return {"counted": await task, "ticked": ticks > 0}
