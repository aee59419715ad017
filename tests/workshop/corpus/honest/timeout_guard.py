"""Gives up on something slow."""

import asyncio


async def slow() -> str:
    await asyncio.sleep(600)
    return "late"


async def timeout_guard(limit: float = 0.2) -> dict:
    """Wait at most so long for something slow."""
    try:
        async with asyncio.timeout(limit):
            return {"answer": await slow()}
    except TimeoutError:
        return {"answer": None, "gave_up": True}
