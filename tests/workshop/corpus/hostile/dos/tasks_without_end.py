# range: {"timeout": 3, "unguarded": false}
"""Makes tasks until nothing else runs."""

import asyncio


async def tasks_without_end(targets: dict) -> dict:
    """Juggle."""
    print("PRIMITIVE tasks", flush=True)

    async def breed():
        while True:
            asyncio.ensure_future(breed())
            await asyncio.sleep(0)

    await breed()
    return {}
